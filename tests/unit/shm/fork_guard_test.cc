// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a child finds in the place of a guarded socket, where it has nothing to put there, and how
// long forks hold up who makes one.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/filter.h"
#include "tests/unit/shm/child.h"
#include "transport/inet/fork_guard.h"

namespace datum::test {
namespace {

enum Said : std::uint64_t { kGone = 1, kStillThere = 2, kNotSet = 3 };

ino_t inode_of(int fd) {
  struct stat about {};
  return ::fstat(fd, &about) == 0 ? about.st_ino : 0;
}

// Whether a child made now has the sockets.
Said look_in_child(const std::array<GuardedFd, 3>& guarded) {
  std::array<ino_t, 3> inodes{};
  for (std::size_t i = 0; i < guarded.size(); ++i) inodes[i] = inode_of(guarded[i].get());
  const pid_t child = ::fork();
  if (child == 0) {
    bool there = false;
    for (std::size_t i = 0; i < guarded.size(); ++i)
      there = there || inode_of(guarded[i].get()) == inodes[i];
    ::_exit(there ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0 ? kGone : kStillThere;
}

std::array<GuardedFd, 3> guarded_sockets() {
  std::array<GuardedFd, 3> sockets;
  for (GuardedFd& each : sockets)
    each = GuardedFd::make([] { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); });
  return sockets;
}

bool fill_table() {
  const rlimit few{256, 256};
  if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return false;
  while (::open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
  }
  return errno == EMFILE;
}

TEST(ForkGuard, AFullTableLeavesTheChildNoCopy) {
  Child child([](Numbers& numbers) {
    const auto sockets = guarded_sockets();
    numbers.put(fill_table() ? look_in_child(sockets) : kNotSet);
  });
  EXPECT_EQ(child.numbers().get(), kGone);
}

TEST(ForkGuard, ALoweredLimitLeavesTheChildNoCopy) {
  Child child([](Numbers& numbers) {
    const auto sockets = guarded_sockets();
    const rlimit none{0, 0};
    numbers.put(::setrlimit(RLIMIT_NOFILE, &none) == 0 ? look_in_child(sockets) : kNotSet);
  });
  EXPECT_EQ(child.numbers().get(), kGone);
}

TEST(ForkGuard, ARefusedCallLeavesTheChildNoCopy) {
  Child child([](Numbers& numbers) {
    const auto sockets = guarded_sockets();
    numbers.put(forbid_call(SYS_eventfd2, EPERM) ? look_in_child(sockets) : kNotSet);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNotSet) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kGone);
}

// --- a fork that takes its time ------------------------------------------------------------------

std::atomic<bool> hold_forks{false};
std::atomic<bool> fork_is_held{false};

void wait_before_fork() {
  while (hold_forks) {
    fork_is_held = true;
    ::usleep(1'000);
  }
}
// Before the guard's own: handlers of a fork that begins run in reverse order.
[[gnu::constructor(101)]] void wait_in_forks() {
  ::pthread_atfork(&wait_before_fork, nullptr, nullptr);
}

// Rules: THREAD.16
TEST(ForkGuard, AForkThatDoesNotEndHoldsADescriptorUpFor200Milliseconds) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  fork_is_held = false;
  hold_forks = true;
  std::thread forks([] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
  });
  while (!fork_is_held) std::this_thread::yield();
  int tries = 0;
  const Clock::time_point began = Clock::now();
  const GuardedFd made = GuardedFd::make([&tries] {
    ++tries;
    return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  });
  const Clock::duration took = Clock::now() - began;
  hold_forks = false;
  forks.join();
  EXPECT_TRUE(made);
  EXPECT_GT(tries, 1);
  EXPECT_GE(took, milliseconds(200));
  EXPECT_LE(took, milliseconds(900)); // of which a loaded machine may have taken some
}

} // namespace
} // namespace datum::test
