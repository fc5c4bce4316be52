// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two processes, one of which must not, or cannot, access the other's memory. All operations must
// work, on a slower path.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "stranger.h"
#include "two_processes.h"

namespace datum::test {
namespace {

constexpr const char* kEstablished = "0x04001";
constexpr const char* kDisconnected = "0x04005";
constexpr const char* kBroken = "0x04006";

constexpr const char* kOtherUser = "shm ring: the peer runs as another user";
constexpr const char* kOtherNamespace = "shm ring: the peer is in another pid namespace";
constexpr const char* kForbidden = "shm ring: the kernel forbids it";

struct Situation {
  const char* name;
  Estrangement passive, active;
  // How the path of each side must begin. If it is empty, any path is right.
  const char* passive_way;
  const char* active_way;
};

void PrintTo(const Situation& situation, std::ostream* out) {
  *out << situation.name;
}

// Root may trace any process, so for root "undumpable" is no restriction.
bool as_root() {
  return geteuid() == 0;
}

class Strangers : public testing::TestWithParam<Situation> {
 protected:
  void SetUp() override {
    Situation situation = GetParam();
    if (situation.active.undumpable && as_root())
      situation.active.other_user = situation.passive.other_user = true;
    passive.emplace(stranger_command(situation.passive));
    active.emplace(stranger_command(situation.active));
    for (PeerProcess* each : {&*passive, &*active})
      if (const std::string answer = each->ask("hello"); answer != "hello")
        GTEST_SKIP() << "no such process here: " << answer;
    const std::string qualifier = passive->ask("listen");
    ASSERT_EQ(active->ask("connect " + qualifier), "ok");
    ASSERT_EQ(passive->ask("accept"), kEstablished);
    ASSERT_EQ(active->ask("wait"), kEstablished);
    EXPECT_EQ(passive->ask("path").find(situation.passive_way), 0U) << passive->ask("path");
    EXPECT_EQ(active->ask("path").find(situation.active_way), 0U) << active->ask("path");
  }

  // Both processes register a buffer of that size.
  void transfer(PeerProcess& from, PeerProcess& to, const std::string& size) {
    const std::string source = from.ask("buffer " + size);
    const std::string target = to.ask("buffer " + size);
    const auto fill = [this](PeerProcess& one) {
      EXPECT_EQ(one.ask("fill " + std::to_string(++seed)), "ok");
      return "holds " + std::to_string(seed);
    };
    const std::string sent = fill(from);
    EXPECT_EQ(to.ask("recv"), "ok");
    EXPECT_EQ(from.ask("send"), "ok");
    EXPECT_EQ(to.ask("received"), size);
    EXPECT_EQ(to.ask(sent), "ok") << "Send";

    const std::string written = fill(from);
    EXPECT_EQ(from.ask("write " + target), "ok");
    EXPECT_EQ(to.ask(written), "ok") << "RDMA Write";

    const std::string read = fill(from);
    EXPECT_EQ(to.ask("read " + source), "ok");
    EXPECT_EQ(to.ask(read), "ok") << "RDMA Read";
  }

  std::optional<PeerProcess> passive, active;
  int seed = 0;
};

// Rules: PROTECT.7
TEST_P(Strangers, ReceiveWhatTheOtherSendsWritesAndReadsAndEndInOrder) {
  for (const char* size : {"8", "1048576"}) {
    SCOPED_TRACE(size);
    transfer(*active, *passive, size);
    transfer(*passive, *active, size);
  }
  EXPECT_EQ(active->ask("disconnect"), "ok");
  EXPECT_EQ(active->ask("wait"), kDisconnected);
  EXPECT_EQ(passive->ask("wait"), kDisconnected);
  for (PeerProcess* each : {&*passive, &*active}) {
    EXPECT_EQ(each->ask("close"), "ok");
    EXPECT_EQ(each->wait_for_exit(), 0);
  }
}

// Rules: PROTECT.6 PROTECT.7
TEST_P(Strangers, NoticeTheDeathOfTheOtherWithinASecond) {
  active->ask("buffer 8");
  EXPECT_EQ(active->ask("recv"), "ok");
  passive->kill();
  EXPECT_EQ(active->ask("wait"), kBroken);
  EXPECT_EQ(active->ask("received"), "lost");
}

// Rules: PROTECT.6 PROTECT.7
TEST_P(Strangers, NoticeTheDeathOfTheOneThatConnectedWithinASecond) {
  passive->ask("buffer 8");
  EXPECT_EQ(passive->ask("recv"), "ok");
  active->kill();
  EXPECT_EQ(passive->ask("wait"), kBroken);
  EXPECT_EQ(passive->ask("received"), "lost");
}

INSTANTIATE_TEST_SUITE_P(
    By, Strangers,
    testing::Values(
        Situation{"User", {}, {.other_user = true}, kOtherUser, kOtherUser},
        Situation{"PidNamespaceBelow", {}, {.pid_namespace = true}, "", kOtherNamespace},
        Situation{"PidNamespaceAbove", {.pid_namespace = true}, {}, kOtherNamespace, ""},
        Situation{"PidNamespacesBesideEachOther",
                  {.pid_namespace = true},
                  {.pid_namespace = true},
                  kOtherNamespace,
                  kOtherNamespace},
        Situation{"UserAndPidNamespace",
                  {},
                  {.other_user = true, .pid_namespace = true},
                  kOtherUser,
                  "shm ring: "},
        Situation{"CallsOfOneForbidden", {}, {.no_vm_calls = true}, "", kForbidden},
        Situation{"CallsOfBothForbidden",
                  {.no_vm_calls = true},
                  {.no_vm_calls = true},
                  kForbidden,
                  kForbidden},
        Situation{"NotDumpable", {}, {.undumpable = true}, kForbidden, ""}),
    [](const auto& situation) { return std::string(situation.param.name); });

} // namespace
} // namespace datum::test
