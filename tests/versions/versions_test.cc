// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DAT 1.2 and DAT 2.0 together: both libraries in one process, and connections between the
// versions, inside one process and between two processes.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "transport.h"
#include "versions/end.h"
#include "versions/mix.h"

namespace {

using namespace datum::test;

std::unique_ptr<End> open_end(int version) {
  return std::unique_ptr<End>(version == 1 ? datum_open_end_of_dat1(ia_name())
                                           : datum_open_end_of_dat2(ia_name()));
}

// The DAT version of the end that connects, and of the end to which it connects.
struct Versions {
  int active;
  int passive;
};

class RuleVersions : public testing::TestWithParam<Versions> {
 protected:
  void SetUp() override {
    active = open_end(GetParam().active);
    passive = open_end(GetParam().passive);
    ASSERT_NE(active, nullptr);
    ASSERT_NE(passive, nullptr);
    qualifier = passive->listen();
    ASSERT_NE(qualifier, 0U);
  }
  void connect() {
    std::string asked;
    ASSERT_TRUE(active->connect(qualifier, "from the active side"));
    ASSERT_TRUE(passive->accept("from the passive side", asked));
    EXPECT_EQ(asked, "from the active side");
    const End::ConnectionEvent answer = active->connection_event();
    EXPECT_EQ(answer.number, End::kEstablished);
    EXPECT_EQ(answer.data, "from the passive side");
    EXPECT_EQ(passive->connection_event().number, End::kEstablished);
  }
  // Transfers a random length between random places, and compares the bytes.
  void transfer(Operation operation, End& from, End& to);
  std::size_t below(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
  }

  std::unique_ptr<End> active;
  std::unique_ptr<End> passive;
  std::uint64_t qualifier = 0;
  std::mt19937 random{20};
};

void RuleVersions::transfer(Operation operation, End& from, End& to) {
  constexpr std::size_t kMost = 9000;
  const std::size_t length = 1 + below(kMost);
  const std::size_t here = below(End::kMemory - kMost);
  const std::size_t there = below(End::kMemory - kMost);
  for (std::size_t i = 0; i != length; ++i) {
    from.bytes()[here + i] = static_cast<char>(random());
    to.bytes()[there + i] = static_cast<char>(random());
  }
  // The background thread of either end may read or overwrite the octets that were filled just now.
  from.catch_up();
  to.catch_up();
  PeerMemory target = to.memory(false);
  target.address += there;
  if (operation == Operation::Send) {
    ASSERT_TRUE(to.post(Operation::Receive, there, length, {}));
  }
  ASSERT_TRUE(from.post(operation, here, length, target));
  EXPECT_EQ(from.completed(operation), static_cast<long>(length));
  if (operation == Operation::Send) {
    EXPECT_EQ(to.completed(Operation::Receive), static_cast<long>(length));
  }
  to.catch_up();
  EXPECT_EQ(std::memcmp(from.bytes() + here, to.bytes() + there, length), 0);
}

// Rules: DAT2.28 HANDLE.4
TEST_P(RuleVersions, EverythingPassesBothWays) {
  ASSERT_NO_FATAL_FAILURE(connect());
  constexpr Operation kAll[] = {Operation::Send, Operation::Write, Operation::Read};
  for (int i = 0; i != 300; ++i) {
    const bool forth = below(2) == 0;
    ASSERT_NO_FATAL_FAILURE(
        transfer(kAll[below(3)], forth ? *active : *passive, forth ? *passive : *active))
        << i;
  }
  ASSERT_TRUE(active->disconnect());
  EXPECT_EQ(active->connection_event().number, End::kDisconnected);
  EXPECT_EQ(passive->connection_event().number, End::kDisconnected);
}

// Rules: FOREIGN.9
TEST_P(RuleVersions, AnEvdOfTheOtherVersionIsNone) {
  const bool same = GetParam().active == GetParam().passive;
  // DAT_INVALID_HANDLE_EVD_CONN
  EXPECT_EQ(active->create_endpoint(passive->connection_evd()), same ? 0 : 0x80050017U);
}

// Rules: DAT2.29
TEST_P(RuleVersions, WhatARejectSaysReachesDat2Only) {
  ASSERT_TRUE(active->connect(qualifier, ""));
  ASSERT_TRUE(passive->reject("no room"));
  const End::ConnectionEvent answer = active->connection_event();
  EXPECT_EQ(answer.number, End::kPeerRejected);
  const bool both = GetParam().active == 2 && GetParam().passive == 2;
  EXPECT_EQ(answer.data, both ? "no room" : "");
}

// DAT 2.0 connects to DAT 1.2.
using RuleExtensions = RuleVersions;

// Rules: DAT2.73
TEST_P(RuleExtensions, AWriteWithANumberIsAnOrdinaryCompletion) {
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_TRUE(passive->post(Operation::Receive, 1000, 16, {}));
  std::memcpy(active->bytes(), "numbered", 8);
  ASSERT_TRUE(active->post(Operation::WriteImmediate, 0, 8, passive->memory(false)));
  EXPECT_EQ(active->completed(Operation::WriteImmediate), 8);
  EXPECT_EQ(passive->completed(Operation::Receive), 8);
  EXPECT_EQ(std::string_view(passive->bytes(), 8), "numbered");
}

// Rules: DAT2.73
TEST_P(RuleExtensions, ASendThatInvalidatesIsAnOrdinaryCompletion) {
  ASSERT_NO_FATAL_FAILURE(connect());
  const PeerMemory window = passive->bind_window();
  ASSERT_TRUE(passive->window_is_bound());
  ASSERT_TRUE(passive->post(Operation::Receive, 1000, 16, {}));
  std::memcpy(active->bytes(), "unbound", 7);
  ASSERT_TRUE(active->post(Operation::SendInvalidate, 0, 7, window));
  EXPECT_EQ(active->completed(Operation::Send), 7);
  EXPECT_EQ(passive->completed(Operation::Receive), 7);
  EXPECT_EQ(std::string_view(passive->bytes() + 1000, 7), "unbound");
  EXPECT_FALSE(passive->window_is_bound());
}

// Rules: DAT2.49
TEST_P(RuleExtensions, AnEndpointOfDatagramsIsRefused) {
  ASSERT_TRUE(active->connect_datagrams(qualifier));
  EXPECT_EQ(active->connection_event().number, End::kDatagramsFailed);
  ASSERT_NO_FATAL_FAILURE(connect()) << "the first request that comes is that of the connection";
}

using RuleZeroBased = RuleVersions;

// Rules: DAT2.28 HANDLE.4
TEST_P(RuleZeroBased, Dat1WritesIntoIt) {
  ASSERT_NO_FATAL_FAILURE(connect());
  PeerMemory target = passive->memory(true);
  ASSERT_NE(target.context, 0U);
  target.address = 100;
  std::memcpy(active->bytes(), "offset", 6);
  ASSERT_TRUE(active->post(Operation::Write, 0, 6, target));
  EXPECT_EQ(active->completed(Operation::Write), 6);
  passive->catch_up();
  EXPECT_EQ(std::string_view(passive->bytes() + 100, 6), "offset");
}

std::string name_of(const testing::TestParamInfo<Versions>& info) {
  return "Dat" + std::to_string(info.param.active) + "ToDat" + std::to_string(info.param.passive);
}
INSTANTIATE_TEST_SUITE_P(Pairs, RuleVersions,
                         testing::Values(Versions{1, 2}, Versions{2, 1}, Versions{2, 2}), name_of);

INSTANTIATE_TEST_SUITE_P(Pairs, RuleExtensions, testing::Values(Versions{2, 1}), name_of);

INSTANTIATE_TEST_SUITE_P(Pairs, RuleZeroBased, testing::Values(Versions{1, 2}), name_of);

// --- many connections at once, and threads that work on them -------------------------------------

class RuleMixOfVersions : public testing::TestWithParam<Versions> {
 protected:
  // As in tests/stress, the seed fixes the choices, but not how threads interleave.
  static std::unique_ptr<Mix> open(int version, std::uint64_t seed) {
    const MixLoad load{.ia = ia_name(), .seed = seed, .rerun = rerun()};
    return std::unique_ptr<Mix>(version == 1 ? datum_open_mix_of_dat1(load)
                                             : datum_open_mix_of_dat2(load));
  }

 private:
  static std::string rerun() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const std::string& ia = ia_name(); // the IA of tcp6 is tcp60, while transport() is tcp
    return "datum-versions-test --transport=" + ia.substr(0, ia.size() - 1) +
           " --gtest_filter=" + test.test_suite_name() + "." + test.name();
  }
};

// Each side sends requests on its own connections and answers on those of the other side. A wrong
// octet or completion ends the whole program. Here the simulator serves several threads, too, by a
// driver in real time. No side is killed, because both are in one process.
// Rules: DAT2.90
TEST_P(RuleMixOfVersions, PassesBothWaysInsideOneProcess) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kRounds = 200; // at least, where the machine is slow
  const Clock::time_point end = Clock::now() + std::chrono::seconds(2);
  const std::unique_ptr<Mix> first = open(GetParam().active, 2);
  const std::unique_ptr<Mix> second = open(GetParam().passive, 3);
  first->start(second->target());
  second->start(first->target());
  while (Clock::now() < end || first->rounds() < kRounds || second->rounds() < kRounds)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  first->stop();
  second->stop();
  first->leave();
  second->leave();
}

INSTANTIATE_TEST_SUITE_P(Pairs, RuleMixOfVersions, testing::Values(Versions{1, 2}, Versions{2, 1}),
                         name_of);

// --- two processes -------------------------------------------------------------------------------

class Child {
 public:
  // Starts the program that the first word names, with the other words as its arguments. Its output
  // goes to `out`.
  explicit Child(std::vector<std::string> words, int out = STDOUT_FILENO) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0)
      pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Child() { status(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int status() {
    int status = -1;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

constexpr std::size_t kEcho = 5000;
constexpr int kEchoes = 50;

// What this program does with --echo=VERSION: it writes its qualifier to stdout. Then it sends back
// what it receives.
int echo(int version) {
  const std::unique_ptr<End> end = open_end(version);
  if (!end || !end->post(Operation::Receive, 0, kEcho, {})) return 2;
  const std::uint64_t qualifier = end->listen();
  if (::write(STDOUT_FILENO, &qualifier, sizeof qualifier) != sizeof qualifier) return 3;
  std::string asked;
  if (!end->accept("", asked) || end->connection_event().number != End::kEstablished) return 4;
  for (int i = 0; i != kEchoes; ++i) {
    if (end->completed(Operation::Receive) != static_cast<long>(kEcho)) return 5;
    std::memcpy(end->bytes() + kEcho, end->bytes(), kEcho);
    // The next Recv is posted before the answer is sent.
    if (!end->post(Operation::Receive, 0, kEcho, {}) ||
        !end->post(Operation::Send, kEcho, kEcho, {}) ||
        end->completed(Operation::Send) != static_cast<long>(kEcho))
      return 6;
  }
  return end->connection_event().number == End::kDisconnected ? 0 : 7;
}

class Echo {
 public:
  explicit Echo(int version) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    child_ = std::make_unique<Child>(
        std::vector<std::string>{"/proc/self/exe", "--echo=" + std::to_string(version)}, ends[1]);
    ::close(ends[1]);
    if (::read(ends[0], &qualifier_, sizeof qualifier_) != sizeof qualifier_) qualifier_ = 0;
    ::close(ends[0]);
  }

  std::uint64_t qualifier() const { return qualifier_; }
  int status() { return child_ ? child_->status() : -1; }

 private:
  std::unique_ptr<Child> child_;
  std::uint64_t qualifier_ = 0;
};

class RuleVersionsOfProcesses : public testing::TestWithParam<Versions> {
 protected:
  void SetUp() override {
    if (transport() == "sim") GTEST_SKIP() << "the simulator has one process";
  }
};

// Rules: DAT2.28 HANDLE.4
TEST_P(RuleVersionsOfProcesses, MessagesComeBack) {
  Echo other(GetParam().passive);
  ASSERT_NE(other.qualifier(), 0U);
  const std::unique_ptr<End> end = open_end(GetParam().active);
  ASSERT_NE(end, nullptr);
  ASSERT_TRUE(end->connect(other.qualifier(), ""));
  ASSERT_EQ(end->connection_event().number, End::kEstablished);
  char* back = end->bytes() + kEcho;
  for (int i = 0; i != kEchoes; ++i) {
    std::memset(end->bytes(), i + 1, kEcho);
    ASSERT_TRUE(end->post(Operation::Receive, kEcho, kEcho, {}));
    ASSERT_TRUE(end->post(Operation::Send, 0, kEcho, {}));
    ASSERT_EQ(end->completed(Operation::Send), static_cast<long>(kEcho));
    ASSERT_EQ(end->completed(Operation::Receive), static_cast<long>(kEcho));
    ASSERT_TRUE(std::all_of(back, back + kEcho, [&](char octet) { return octet == i + 1; })) << i;
  }
  ASSERT_TRUE(end->disconnect());
  EXPECT_EQ(end->connection_event().number, End::kDisconnected);
  EXPECT_EQ(other.status(), 0);
}

std::string mix_program(int version) {
  return version == 1 ? DATUM_VERSIONS_MIX1 : DATUM_VERSIONS_MIX2;
}

// The mix of tests/stress. Each of the two processes connects to the other. With this seed the
// second process is killed twice, or once if the machine is slow.
// Rules: DAT2.81
TEST_P(RuleVersionsOfProcesses, TheRandomMixPassesBothWays) {
  Child mix({mix_program(GetParam().active), "two", "--child", mix_program(GetParam().passive),
             "--ia", ia_name(), "--seconds", "2", "--seed", "2", "--threads", "8", "--lanes",
             "20"});
  EXPECT_EQ(mix.status(), 0);
}

INSTANTIATE_TEST_SUITE_P(Pairs, RuleVersionsOfProcesses,
                         testing::Values(Versions{1, 1}, Versions{1, 2}, Versions{2, 1},
                                         Versions{2, 2}),
                         name_of);

} // namespace

int main(int argc, char** argv) {
  choose_transport(&argc, argv);
  constexpr std::string_view kEchoOption = "--echo=";
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first.substr(0, kEchoOption.size()) == kEchoOption)
    return echo(first.substr(kEchoOption.size()) == "1" ? 1 : 2);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
