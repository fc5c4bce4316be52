// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/fork_guard.h: descriptors that no child made by fork() may hold.
// If a child had a copy of a connection's socket, the connection would stay open when this process
// executes another program or, over TCP, dies. The peer would not notice. A copy of a listening
// socket would keep its qualifier taken, and requests would wait there unanswered. So in the child
// each such descriptor becomes a harmless one under the same number, before fork() returns. If
// there is no harmless descriptor, the copy is closed.
// A socket that takes a name is made by GuardedFd::make(). If a child may have copied the socket
// before it was guarded, make() makes another socket, and the copy never gets the name.
//
// A descriptor that cannot be made again, such as an accepted connection, is taken by
// GuardedFd::take(): no fork begins before the descriptor is guarded.
//
// Not here:   children made without the C library, and children made while a released descriptor is
//             being closed; docs/design/shm.md says what follows.
// Bounds:     numbers above kMostGuarded are not guarded.
// Threads:    any.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.h"
#include "base/unique_fd.h"

namespace datum {

inline constexpr int kMostGuarded = 1 << 20;
// The longest wait for one descriptor. The adapter's lock may be held meanwhile.
inline constexpr Duration kForkPatience = 200 * kMillisecond;

void keep_from_children(int fd) noexcept;
// Called before the descriptor is closed: afterwards the number may belong to other code.
void children_may_have(int fd) noexcept;

// How many forks of any thread have begun, and how many of those are over.
std::uint64_t forks_begun() noexcept;
std::uint64_t forks_over() noexcept;

// Limits how long a thread waits for forks, or a fork for NoFork objects, to kForkPatience.
class ForkPatience {
 public:
  // False: the time is over.
  bool pause() noexcept;

 private:
  std::optional<Instant> end_; // from the first pause on
};

// While an object exists, no fork copies descriptors: new forks wait, and the constructor waits for
// forks under way. Neither waits longer than kForkPatience. Code in between must take no lock.
class NoFork {
 public:
  NoFork() noexcept;
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

// A descriptor that its owner closes, and that no child has.
class GuardedFd {
 public:
  GuardedFd() = default;
  explicit GuardedFd(UniqueFd fd) : fd_(std::move(fd)) { keep_from_children(fd_.get()); }
  GuardedFd(GuardedFd&&) = default;
  GuardedFd& operator=(GuardedFd&& other) noexcept {
    children_may_have(fd_.get());
    fd_ = std::move(other.fd_);
    return *this;
  }
  ~GuardedFd() { children_may_have(fd_.get()); }

  // `make` returns a descriptor or -1. A copy of the descriptor in a child must do no harm yet:
  // `make` is called again if a fork may have come before the descriptor was guarded. If forks
  // follow each other for kForkPatience, make() returns the last descriptor, and a child may have a
  // copy of it. It waits no longer, since the forks may be waiting for this very thread.
  template <class Make>
  static GuardedFd make(Make make) {
    for (ForkPatience patience;;) {
      const std::uint64_t over = forks_over();
      GuardedFd made{UniqueFd(make())};
      if (!made || forks_begun() == over || !patience.pause()) return made;
    }
  }

  // `take` returns a descriptor, or -1 with errno. The descriptor is guarded before a child can
  // have it, unless NoFork has waited for kForkPatience.
  template <class Take>
  static GuardedFd take(Take take) {
    const NoFork here;
    return GuardedFd{UniqueFd(take())};
  }

  void reset() { *this = GuardedFd(); }
  int get() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  UniqueFd fd_;
};

} // namespace datum
