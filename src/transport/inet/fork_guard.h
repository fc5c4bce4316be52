// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/inet/fork_guard.h: descriptors that no child made by fork() is to hold.
// A child that has a copy of a connection's socket hides from the peer that this process has
// executed another program, and over TCP that it has died: nothing hangs up. A copy of one that
// listens keeps its qualifier taken, and lets requests wait that nobody will answer. So in the
// child each of them becomes something harmless under the same number, before fork() returns.
// Not here: children made behind the C library's back; docs/design/shm.md says what follows.
// Bounds:   numbers above kMostGuarded are left alone.
// Threads:  any.
#pragma once

#include <utility>

#include "base/unique_fd.h"

namespace datum {

inline constexpr int kMostGuarded = 1 << 20;

void keep_from_children(int fd) noexcept;
// Before it is closed: afterwards the number may be somebody else's.
void children_may_have(int fd) noexcept;

// A descriptor that is closed with its owner, and that no child has.
class GuardedFd {
 public:
  explicit GuardedFd(UniqueFd fd) : fd_(std::move(fd)) { keep_from_children(fd_.get()); }
  GuardedFd(GuardedFd&&) = default;
  GuardedFd& operator=(GuardedFd&&) = delete;
  ~GuardedFd() { children_may_have(fd_.get()); }

  int get() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  UniqueFd fd_;
};

} // namespace datum
