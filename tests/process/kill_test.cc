// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A peer is killed inside every operation: at the beginning and the end of each system call, some
// instructions after the end, and at random points. With `--long` there are many more of these
// points, and peers are also killed at every instruction of the main operations
// (docs/design/shm.md says how far).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <vector>

#include "process_main.h"
#include "survivor.h"
#include "variable.h"

namespace datum::test {

namespace {

// At each kStride-th landmark kVariants victims die, each a different number of instructions after
// the landmark. Under a sanitizer there are fewer victims, since an operation has three times as
// many landmarks and a victim takes twice as long.
#ifdef DATUM_SANITIZED
constexpr std::uint32_t kVariants = 1;
constexpr std::uint32_t kStride = 3;
constexpr int kRandomKills = 60;
#else
constexpr std::uint32_t kVariants = 3;
constexpr std::uint32_t kStride = 1;
constexpr int kRandomKills = 200;
#endif

// After this number of landmarks an operation only waits for its end.
constexpr std::uint32_t kMostLandmarks = 2000;

// The number of further victims for a landmark that was missed.
constexpr int kAttempts = 3;

// How many instructions after a landmark victim `number` dies. A record is handed over by a few
// stores within the first thousands of instructions, so the steps are smallest at the beginning.
std::uint32_t instructions(std::uint32_t number) {
  return number * (number + 3);
}

class Kill : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!may_trace()) GTEST_SKIP() << "the kernel does not let a process trace its child";
  }
  Report die_at(Survivor& survivor, const Sentence& sentence) {
    SCOPED_TRACE(testing::Message()
                 << name_of(sentence.operation) << ": landmark " << sentence.landmark << ", "
                 << sentence.steps << " instructions, child " << sentence.child_lives_on);
    const Report death = survivor.outlive(sentence);
    survivor.expect_unharmed();
    return death;
  }
  // Returns false if the operation was over before the landmark.
  bool die_around(Survivor& survivor, Operation operation, std::uint32_t landmark) {
    const std::uint32_t variants = run_long() ? 60 : kVariants;
    bool inside = false;
    for (std::uint32_t variant = 0; variant < variants && !HasFailure(); ++variant) {
      // The victims of a landmark die at different distances from it.
      const std::uint32_t number = run_long() ? variant : (landmark / 2 + variant * 10) % 30;
      const bool child = (landmark / 2 + variant) % 4 == 3;
      const Report death = die_at(survivor, {operation, child, landmark, instructions(number)});
      if (death == Report::kDiedEntering) return true;
      inside = inside || death == Report::kDiedInside;
    }
    return inside;
  }
  // No victim has reached the landmark. Tries it again with more victims.
  bool die_around_again(Survivor& survivor, Operation operation, std::uint32_t landmark) {
    for (int attempt = 0; attempt < kAttempts && !HasFailure(); ++attempt) {
      const Report death = die_at(survivor, {operation, false, landmark, instructions(landmark)});
      if (death != Report::kDiedAfterwards) return true;
    }
    return false;
  }
  // Kills at each landmark of the operation, and returns the number of landmarks. The number of
  // system calls depends on chance and on the load of the machine: a thread that is still awake
  // need not be woken, and an answer that comes early saves a wait. So a landmark counts as missed
  // only if several victims did not reach it. The operation counts as over only if two landmarks in
  // a row were missed.
  std::uint32_t die_around_each(Survivor& survivor, Operation operation) {
    std::uint32_t landmark = 0;
    std::uint32_t missed = 0;
    for (; missed < 2 && landmark < kMostLandmarks && !HasFailure(); landmark += kStride)
      missed = die_around(survivor, operation, landmark) ||
                       die_around_again(survivor, operation, landmark)
                   ? 0
                   : missed + 1;
    return landmark - missed * kStride;
  }
  // A few victims die within the first ten thousand instructions after the begin mark.
  void die_on_the_way(Survivor& survivor, Operation operation) {
    constexpr std::uint32_t kBeginMarkLeft = 1;
    const std::uint32_t deaths = run_long() ? 120 : 12;
    for (std::uint32_t death = 0; death < deaths && !HasFailure(); ++death)
      die_at(survivor,
             {operation, death % 4 == 3, kBeginMarkLeft, instructions((death + 1) * 100 / deaths)});
  }

 private:
  // A connect to a dead listener must fail at once.
  const Variable grace_{"DATUM_CONNECT_GRACE", "0"};
};

std::string name_of_parameter(const testing::TestParamInfo<int>& info) {
  return name_of(static_cast<Operation>(info.param));
}

// Rules: PROTECT.6 PATH.3 PATH.14 CONN.13 DISC.7 ERR.12
TEST_P(Kill, NearEachSystemCallTheSurvivorIsToldAndKeepsWhatIsItsOwn) {
  Survivor survivor(executioner());
  const auto operation = static_cast<Operation>(GetParam());
  const std::uint32_t landmarks = die_around_each(survivor, operation);
  if (is_silent(operation)) {
    die_on_the_way(survivor, operation);
  } else {
    EXPECT_GT(landmarks, 2U) << "the operation was never interrupted";
  }
  RecordProperty("landmarks", static_cast<int>(landmarks));
}

INSTANTIATE_TEST_SUITE_P(Inside, Kill, testing::Range(0, kOperations), name_of_parameter);

// The main operations, instruction by instruction. Victims die at each of the first kEach
// instructions, and at kSamples evenly spaced instructions of the rest.
class KillAtEachStep : public Kill {
 protected:
  static constexpr std::uint32_t kEach = 1500;
  static constexpr std::uint32_t kSamples = 150;

  // Counts the instructions of the calling thread until the operation is over or sleeps for longer
  // than a moment.
  std::uint32_t instructions_of(Survivor& survivor, Operation operation) {
    constexpr std::uint32_t kAll = 30'000;
    std::uint32_t most = 0;
    for (int i = 0; i < 3 && !HasFailure(); ++i) {
      die_at(survivor, {operation, false, kBeginMark, kAll});
      most = std::max(most, survivor.steps_made());
    }
    return most;
  }
  // A victim may fall asleep before its instruction, since on a busy machine an event that it waits
  // for may come late. So there are several attempts.
  void die_after(Survivor& survivor, Operation operation, std::uint32_t steps) {
    for (int attempt = 0; attempt < kAttempts && !HasFailure(); ++attempt) {
      die_at(survivor, {operation, steps % 4 == 3, kBeginMark, steps});
      ++victims_;
      if (survivor.steps_made() == steps) break;
      if (attempt == kAttempts - 1) ++missed_;
    }
  }
  int victims_ = 0;
  int missed_ = 0;
};

// Rules: PROTECT.6 PATH.3 CONN.13 DISC.7 ERR.12
TEST_P(KillAtEachStep, TheSurvivorIsToldAndKeepsWhatIsItsOwn) {
  Survivor survivor(executioner());
  const auto operation = static_cast<Operation>(GetParam());
  const std::uint32_t all = instructions_of(survivor, operation);
  EXPECT_GT(all, 100U);
  const std::uint32_t each = std::min(all, kEach);
  for (std::uint32_t steps = 1; steps <= each && !HasFailure(); ++steps)
    die_after(survivor, operation, steps);
  for (std::uint32_t sample = 1; all > each && sample <= kSamples && !HasFailure(); ++sample)
    die_after(survivor, operation, each + (all - each) * sample / kSamples);
  EXPECT_LT(missed_, victims_ / 4) << "most fell asleep before";
  std::printf("%s: %u instructions, %d victims, %d fell asleep before their instruction\n",
              name_of(operation), all, victims_, missed_);
}

// Returns no operations without `--long`, since the tests take minutes.
std::vector<int> main_operations() {
  std::vector<int> found;
  if (!run_long()) return found;
  for (const Operation operation :
       {Operation::kConnect, Operation::kAccept, Operation::kSendSmall, Operation::kReceiveSmall,
        Operation::kWriteOrdinary, Operation::kReadOrdinary, Operation::kBind,
        Operation::kDisconnectGraceful})
    found.push_back(static_cast<int>(operation));
  return found;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KillAtEachStep);
INSTANTIATE_TEST_SUITE_P(Of, KillAtEachStep, testing::ValuesIn(main_operations()),
                         name_of_parameter);

using KillAnywhere = Kill;

// Rules: PROTECT.6
TEST_P(KillAnywhere, TheSurvivorOutlivesThemAll) {
  Survivor survivor(executioner());
  std::minstd_rand engine(static_cast<unsigned>(GetParam()));
  const auto random = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(engine() >> 8U) % below;
  };
  const int kills = run_long() ? 10'000 : kRandomKills;
  for (int kill = 0; kill < kills && !HasFailure(); ++kill) {
    SCOPED_TRACE(testing::Message() << "kill number " << kill);
    const auto operation = static_cast<Operation>(random(kOperations));
    const bool child = random(2) == 0;
    const std::uint32_t landmark = random(40);
    die_at(survivor, {operation, child, landmark, random(run_long() ? 2000 : 500)});
  }
}

INSTANTIATE_TEST_SUITE_P(Seed, KillAnywhere, testing::Values(1));

} // namespace

const char* name_of(Operation operation) {
  constexpr std::array<const char*, kOperations> kNames = {
      "Listen",           "Reserve",       "Connect",       "Accept",         "AcceptReserved",
      "Reject",           "HandOff",       "SendSmall",     "SendLarge",      "ReceiveSmall",
      "ReceiveLarge",     "ReceiveShared", "WriteOrdinary", "WriteShareable", "ReadOrdinary",
      "ReadShareable",    "WriteRing",     "ReadRing",      "Bind",           "Rebind",
      "Unbind",           "FreeRegion",    "FreeWindow",    "Duplicate",      "DisconnectGraceful",
      "DisconnectAbrupt", "ResetEndpoint", "FreeEndpoint",  "CloseAdapter"};
  return kNames[static_cast<std::size_t>(operation)];
}

} // namespace datum::test
