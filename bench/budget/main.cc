// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-budget: the fixed program whose calls scripts/budget.py counts under callgrind.
// It makes rounds of calls of DAT 1.2, with one thread for both ends. A piece is one call of a
// round. For each piece the program makes all rounds again, and callgrind collects only during that
// call: scripts/budget.py makes callgrind toggle at budget_counted and dump after
// budget_counted_enough. The program prints one line for each dump: the piece and the number of
// rounds. Without callgrind it counts nothing, and only checks the result of every call.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <span>
#include <thread>

#include "budget/settled_sockets.h"
#include "budget/still_clock.h"
#include "budget/two_ends.h"

namespace {

using budget::TwoEnds;
using Call = bool (*)(TwoEnds&);

struct Step {
  const char* piece; // nullptr: not counted
  Call call;
};

// A multiple of 64: some work is done only by each 64th poll, and so each call of a round gets its
// share of that work.
constexpr int kRounds = 1024;
// Nanoseconds by which the clock moves between two calls. That is so little that hardly any work is
// done because time has passed. Work that depends on the number of calls is counted.
constexpr long kPace = 10;

constexpr Call kInitiatorLooks = [](TwoEnds& ends) { return ends.initiator.find_nothing(); };
constexpr Call kTargetLooks = [](TwoEnds& ends) { return ends.target.find_nothing(); };
constexpr Call kInitiatorReaps = [](TwoEnds& ends) { return ends.initiator.take_request(); };

// Each adapter polls an odd number of times in a round. So the work that only each 64th or each
// eighth poll does falls equally often on each of the calls.

// The receiver sends nothing, so the acknowledgement travels alone.
constexpr Step kSend[] = {
    {"send/target/post_recv", [](TwoEnds& ends) { return ends.target.post_recv(); }},
    {"send/initiator/post_send", [](TwoEnds& ends) { return ends.initiator.post_send(); }},
    {"send/target/dequeue-message", [](TwoEnds& ends) { return ends.target.take_receive(); }},
    {"send/target/dequeue-empty-after", kTargetLooks},
    {"send/initiator/dequeue-completion", kInitiatorReaps},
    {"send/initiator/dequeue-empty-after", kInitiatorLooks},
    {nullptr, kTargetLooks},
    {nullptr, kInitiatorLooks},
};

constexpr Step kWrite[] = {
    {"write/initiator/post_rdma_write",
     [](TwoEnds& ends) { return ends.initiator.post_rdma_write(ends.target); }},
    {"write/target/dequeue-places", kTargetLooks},
    {"write/target/dequeue-empty-after", kTargetLooks},
    {"write/initiator/dequeue-completion", kInitiatorReaps},
    {"write/initiator/dequeue-empty-after", kInitiatorLooks},
    {nullptr, kTargetLooks},
    {nullptr, kInitiatorLooks},
};

constexpr Step kRead[] = {
    {"read/initiator/post_rdma_read",
     [](TwoEnds& ends) { return ends.initiator.post_rdma_read(ends.target); }},
    {"read/target/dequeue-serves", kTargetLooks},
    {"read/target/dequeue-empty-after", kTargetLooks},
    {"read/initiator/dequeue-completion", kInitiatorReaps},
    {"read/initiator/dequeue-empty-after", kInitiatorLooks},
    {nullptr, kTargetLooks},
    {nullptr, kInitiatorLooks},
};

constexpr Step kIdle[] = {
    {"idle/initiator/dequeue-empty", kInitiatorLooks},
    {"idle/target/dequeue-empty", kTargetLooks},
};

// Answers carry the acknowledgements. Both sides make the same calls, and those of the initiator
// are counted.
constexpr Step kPingPong[] = {
    {"ping-pong/post_send", [](TwoEnds& ends) { return ends.initiator.post_send(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.take_receive(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.take_request(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_recv(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_send(); }},
    {"ping-pong/dequeue-message", [](TwoEnds& ends) { return ends.initiator.take_receive(); }},
    {"ping-pong/dequeue-completion", kInitiatorReaps},
    {"ping-pong/post_recv", [](TwoEnds& ends) { return ends.initiator.post_recv(); }},
};

// Brings both ends into the state in which a round of kPingPong begins: each end has a Recv, and a
// Send of the target is under way.
constexpr Step kServe[] = {
    {nullptr, [](TwoEnds& ends) { return ends.initiator.post_recv(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_recv(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_send(); }},
    {nullptr, [](TwoEnds& ends) { return ends.initiator.take_receive(); }},
    {nullptr, [](TwoEnds& ends) { return ends.initiator.post_recv(); }},
};

} // namespace

// Callgrind finds these two functions by name.
extern "C" {
bool budget_counted(Call call, TwoEnds& ends);
void budget_counted_enough();

bool budget_counted(Call call, TwoEnds& ends) {
  return call(ends);
}
void budget_counted_enough() {}
}

namespace {

// The functions are called through volatile pointers, so the compiler can neither inline nor rename
// them.
bool (*volatile counted)(Call, TwoEnds&) = &budget_counted;
void (*volatile counted_enough)() = &budget_counted_enough;

class Program {
 public:
  bool run() {
    if (!ends_.open())
      return failed("two adapters could not be connected; DATUM_LOG=info says why");
    sockets_ = budget::SettledSockets::of_this_process();
    budget::hold_clock();
    const bool done = let_others_sleep() && count(kSend) && count(kWrite) && count(kRead) &&
                      count(kIdle) && rounds(kServe, nullptr, 1) && count(kPingPong);
    const bool alone = budget::wakes() == wakes_;
    budget::release_clock();
    return done && (alone || failed("a background thread was woken while calls were counted"));
  }

 private:
  static bool failed(const char* why) {
    std::fprintf(stderr, "datum-budget: %s\n", why);
    return false;
  }

  // First, backoffs end that began on the machine's clock. A poll may also wake a thread that went
  // to sleep before. All is still when a thousand polls have woken no thread.
  bool let_others_sleep() {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      wakes_ = budget::wakes();
      if (!rounds(kIdle, nullptr, kRounds)) return false;
      if (!all_asleep()) return failed("a background thread did not go to sleep");
      if (budget::wakes() == wakes_) return true;
    }
    return failed("polling woke a background thread again and again");
  }

  static bool all_asleep() {
    constexpr int kPatience = 10'000; // milliseconds
    for (int i = 0; i < kPatience; ++i) {
      if (budget::threads_asleep() == other_threads()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  static int other_threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<int>(std::distance(begin(tasks), end(tasks))) - 1;
  }

  bool count(std::span<const Step> steps) {
    if (!rounds(steps, nullptr, kRounds)) return false;
    for (const Step& step : steps) {
      if (step.piece == nullptr) continue;
      if (!rounds(steps, &step, kRounds)) return false;
      counted_enough();
      std::printf("%s %d\n", step.piece, kRounds);
    }
    return true;
  }

  bool rounds(std::span<const Step> steps, const Step* wanted, int times) {
    for (int round = 0; round < times; ++round)
      for (const Step& step : steps)
        if (!make(step, &step == wanted)) return false;
    return true;
  }

  bool make(const Step& step, bool counts) {
    budget::advance_clock(kPace);
    if (!sockets_.settle()) return failed("what was sent over TCP did not arrive");
    if (counts ? counted(step.call, ends_) : step.call(ends_)) return true;
    return failed(step.piece != nullptr ? step.piece : "a call that is not counted");
  }

  TwoEnds ends_;
  budget::SettledSockets sockets_; // empty if the adapters share memory
  unsigned wakes_ = 0;
};

} // namespace

int main() {
  return Program().run() ? 0 : 1;
}
