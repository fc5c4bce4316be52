// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The death of a peer process: ShmFabric notices it, even if a child of the dead process lives on.
#include <gtest/gtest.h>

#include <optional>
#include <sys/socket.h>

#include "tests/unit/shm/remote_adapter.h"
#include "transport/host/abstract_name.h"
#include "transport/host/fork_guard.h"

namespace datum::test {
namespace {

enum Deed : std::uint64_t { kForkAndTell = 1, kExec = 2, kForkThenExec = 3 };

RemoteScript script() {
  RemoteScript script;
  script.command = [](Adapter&, std::uint64_t number, Numbers& numbers) {
    if (number == kForkAndTell) leave_behind(fork_unnoticed(), numbers);
    if (number == kForkThenExec) leave_behind(::fork(), numbers);
    if (number == kExec) numbers.put(kExec);
    if (number == kForkThenExec || number == kExec) become_another_program();
  };
  return script;
}

class Death : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(remote.qualifier(), 0U);
    dial_now(world, a, "127.0.0.1", remote.qualifier(), dialled);
    ASSERT_NE(dialled.port, nullptr);
  }
  RemoteAdapter remote{script()};
  World world;
  Adapter a{world, "127.0.0.1"};
  Dialled dialled;
};

TEST_F(Death, AKilledPeerIsALostLink) {
  remote.child().kill();
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1; }));
  EXPECT_TRUE(a.links.empty());
  EXPECT_EQ(a.fabric->links(), 0U);
}

TEST_F(Death, AKilledPeerIsNoticedThoughItsChildKeepsTheDescriptors) {
  const auto grandchild = static_cast<pid_t>(remote.ask(kForkAndTell));
  ASSERT_GT(grandchild, 0);
  remote.child().kill();
  EXPECT_TRUE(world.run_until([&] { return a.lost == 1; }));
  EXPECT_EQ(::kill(grandchild, 0), 0);
  ::kill(grandchild, SIGKILL);
}

TEST_F(Death, APeerThatExecutesAnotherProgramIsALostLink) {
  ASSERT_EQ(remote.ask(kExec), kExec);
  EXPECT_TRUE(world.run_until([&] { return a.lost == 1; }));
}

TEST_F(Death, SoIsOneWhoseChildLivesOn) {
  const auto grandchild = static_cast<pid_t>(remote.ask(kForkThenExec));
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(world.run_until([&] { return a.lost == 1; }));
  EXPECT_EQ(::kill(grandchild, 0), 0);
  ::kill(grandchild, SIGKILL);
}

// The descriptors of the lost link were guarded. New descriptors get the same numbers, and a child
// keeps them.
TEST(ForkGuard, AChildKeepsWhatIsNotALink) {
  World world;
  Adapter a(world, "127.0.0.1");
  Adapter b(world, "127.0.0.1");
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  a.links[0]->condemn("the test wants its number");
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1 && b.lost == 1; }));
  int pipes[40];
  for (int i = 0; i < 40; i += 2) ASSERT_EQ(::pipe(pipes + i), 0);
  Child child([&](Numbers& numbers) {
    std::uint64_t kept = 0;
    for (int i = 0; i < 40; i += 2) {
      char byte = 'x';
      if (::write(pipes[i + 1], &byte, 1) == 1 && ::read(pipes[i], &byte, 1) == 1) ++kept;
    }
    numbers.put(kept);
  });
  EXPECT_EQ(child.numbers().get(), 20U);
  for (const int fd : pipes) ::close(fd);
}

// The fork comes after the descriptor is made, and before it is guarded.
TEST(ForkGuard, AChildMadeBeforeTheGuardDoesNotHoldTheName) {
  std::optional<Child> child;
  const auto make = [&] {
    const int made = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (!child) child.emplace([](Numbers& numbers) { static_cast<void>(numbers.get()); });
    return made;
  };
  const std::string name = "datum/test/" + std::to_string(::getpid());
  {
    const GuardedFd holder = GuardedFd::make(make);
    ASSERT_TRUE(child);
    ASSERT_EQ(take_name(holder.get(), name), 0);
  }
  const UniqueFd next(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(take_name(next.get(), name), 0) << "the child lives";
}

TEST(ForkGuard, WhatNoForkHasComeBetweenIsMadeOnce) {
  Child before([](Numbers&) {});
  int calls = 0;
  const GuardedFd made = GuardedFd::make([&] {
    ++calls;
    return ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  });
  EXPECT_TRUE(made);
  EXPECT_EQ(calls, 1);
  const GuardedFd none = GuardedFd::make([] { return -1; });
  EXPECT_FALSE(none);
}

TEST_F(Death, ADeadListenerIsNobody) {
  remote.child().kill();
  Dialled again;
  dial_now(world, a, "127.0.0.1", remote.qualifier(), again);
  EXPECT_EQ(again.failure, DialFailure::NobodyListens);
}

TEST_F(Death, WhatThePeerWroteStaysReadableUntilTheLossWasReported) {
  remote.child().kill();
  struct Reader final : FabricEvents {
    std::uint32_t magic = 0;
    void on_link(LinkPort&) override {}
    void on_doorbell(LinkPort&) override {}
    IdleLink judge_idle(LinkPort&) override { return IdleLink::InUse; }
    void on_link_lost(LinkPort& port) override { magic = port.segment().magic; }
  } reader;
  a.fabric->attach(world.host(), reader);
  ASSERT_TRUE(world.run_until([&] { return reader.magic != 0; }));
  EXPECT_EQ(reader.magic, 0x44544c4bU);
}

} // namespace
} // namespace datum::test
