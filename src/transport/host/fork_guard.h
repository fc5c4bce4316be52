// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/fork_guard.h: descriptors that no child made by fork() is to hold.
// A child that has a copy of a connection's socket hides from the peer that this process has
// executed another program, and over TCP that it has died: nothing hangs up. A copy of one that
// listens keeps its qualifier taken, and lets requests wait that nobody will answer. So in the
// child each of them becomes something harmless under the same number, before fork() returns, or
// is closed where nothing harmless can be had.
// What holds a name is made by GuardedFd::make(): it may be copied before it is guarded, but then
// it is made again, and the copy never gets the name.
//
// What is there once and cannot be made again, a connection that was accepted or that was asked
// for, is taken by GuardedFd::take(): no fork begins between it and the guard.
//
// Not here: children made behind the C library's back, and those made while a descriptor that has
//           been let go is being closed; docs/design/shm.md says what follows.
// Bounds:   numbers above kMostGuarded are left alone.
// Threads:  any.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.h"
#include "base/unique_fd.h"

namespace datum {

inline constexpr int kMostGuarded = 1 << 20;
// For one descriptor. The adapter's lock may be held meanwhile.
inline constexpr Duration kForkPatience = 200 * kMillisecond;

void keep_from_children(int fd) noexcept;
// Before it is closed: afterwards the number may be somebody else's.
void children_may_have(int fd) noexcept;

// Of forks in any thread: how many have begun, and how many of those are over.
std::uint64_t forks_begun() noexcept;
std::uint64_t forks_over() noexcept;

// How long one goes on trying beside forks.
class ForkPatience {
 public:
  // False: it is over.
  bool pause() noexcept;

 private:
  std::optional<Instant> end_; // from the first pause on
};

// No fork copies descriptors while it lives: those that begin wait, and those that have begun are
// waited for, neither for longer than kForkPatience. Nothing in between may take a lock.
class NoFork {
 public:
  NoFork() noexcept;
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

// A descriptor that is closed with its owner, and that no child has.
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

  // What `make` gives, a descriptor or -1, is to be nothing yet that a child must not have: it is
  // called again where a fork may have come between it and the guard. Where forks follow each other
  // for kForkPatience, a child may have one; what they wait for may be this thread.
  template <class Make>
  static GuardedFd make(Make make) {
    for (ForkPatience patience;;) {
      const std::uint64_t over = forks_over();
      GuardedFd made{UniqueFd(make())};
      if (!made || forks_begun() == over || !patience.pause()) return made;
    }
  }

  // What `take` gives, a descriptor or -1 with errno, is guarded before a child can have it.
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
