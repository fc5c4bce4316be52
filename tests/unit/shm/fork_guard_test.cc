// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GuardedFd: a forked child has no copy of a guarded socket, even if it has no other descriptor to
// put in the socket's place. How long a fork delays a thread that makes a guarded descriptor.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/clock.h"
#include "tests/filter.h"
#include "tests/unit/shm/child.h"
#include "transport/host/fork_guard.h"

namespace datum::test {
namespace {

enum Said : std::uint64_t { kGone = 1, kStillThere = 2, kNotSet = 3 };

ino_t inode_of(int fd) {
  struct stat about {};
  return ::fstat(fd, &about) == 0 ? about.st_ino : 0;
}

// Whether a child that is forked now has a copy of one of the sockets.
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

// --- the last handler before a fork --------------------------------------------------------------

std::atomic<bool> hold_forks{false};
std::atomic<bool> fork_is_held{false};

std::atomic<Instant> prepared_at{0}; // when the last fork had passed the guard's own handler

void wait_before_fork() {
  prepared_at = monotonic_now();
  while (hold_forks) {
    fork_is_held = true;
    ::usleep(1'000);
  }
}
// Registers its handler before the guard does. The handlers before a fork run in reverse order, so
// this one runs last.
[[gnu::constructor(101)]] void wait_in_forks() {
  ::pthread_atfork(&wait_before_fork, nullptr, nullptr);
}

// --- forks while a connection is accepted --------------------------------------------------------

struct Name {
  sockaddr_un address{};
  socklen_t length = 0;
  bool operator==(const Name& other) const {
    return length == other.length && std::memcmp(&address, &other.address, length) == 0;
  }
};

Name name_of(int socket) {
  Name name;
  name.length = sizeof name.address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name.address), &name.length) != 0)
    name.length = 0;
  return name;
}

// Whether a child has a copy of an accepted connection. Such a socket has the listener's name, and
// does not listen.
bool has_accepted(const Name& listener) {
  for (int fd = 0; fd < 512; ++fd) {
    int listens = 1;
    socklen_t length = sizeof listens;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens != 0)
      continue;
    if (name_of(fd) == listener) return true;
  }
  return false;
}

constexpr std::size_t kCallers = 10;

UniqueFd listener_with_a_name() {
  UniqueFd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const sockaddr_un any{AF_UNIX, {}};
  // The kernel chooses the name.
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any.sun_family),
            0);
  EXPECT_EQ(::listen(listener.get(), kCallers), 0);
  return listener;
}

UniqueFd caller_of(const Name& name) {
  UniqueFd caller(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(caller.get(), reinterpret_cast<const sockaddr*>(&name.address), name.length),
            0);
  return caller;
}

// Makes a child as soon as it is told that a connection has been accepted.
class Forker {
 public:
  enum class Found { kNothing, kCopy, kGaveUp }; // kGaveUp: the fork was held up for too long

  explicit Forker(const Name& name) : thread_([this, name] { found_ = fork_when_told(name); }) {}
  // Called when the connection is accepted, and not guarded yet.
  void make_a_child() {
    const std::uint64_t before = forks_begun();
    told_ = true;
    while (forks_begun() == before) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) std::this_thread::yield(); // lets a fork that need not wait go on
  }
  Found found() {
    thread_.join();
    return found_;
  }

 private:
  Found fork_when_told(const Name& name) {
    while (!told_) std::this_thread::yield();
    const Instant began = monotonic_now();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(has_accepted(name) ? 1 : 0);
    int status = -1;
    ::waitpid(child, &status, 0);
    if (prepared_at - began >= kForkPatience) return Found::kGaveUp;
    return status == 0 ? Found::kNothing : Found::kCopy;
  }

  std::atomic<bool> told_{false};
  Found found_ = Found::kNothing;
  std::thread thread_; // the last member: it uses the others
};

// Rules: THREAD.16
TEST(ForkGuard, NoChildHasAConnectionThatIsBeingAccepted) {
  const UniqueFd listener = listener_with_a_name();
  const Name name = name_of(listener.get());
  for (std::size_t i = 0; i < kCallers; ++i) {
    const UniqueFd caller = caller_of(name);
    Forker forker(name);
    const GuardedFd accepted = GuardedFd::take([&] {
      const int fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
      forker.make_a_child();
      return fd;
    });
    EXPECT_TRUE(accepted);
    EXPECT_NE(forker.found(), Forker::Found::kCopy) << "caller " << i;
  }
}

// --- a fork that takes its time ------------------------------------------------------------------

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
  EXPECT_LE(took, milliseconds(900)); // a loaded machine may take longer than 200 ms
}

} // namespace
} // namespace datum::test
