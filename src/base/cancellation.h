// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cancellation.h: where pthread_cancel(3) may end a thread of the consumer inside a call.
// Lives here: keeping a thread from being cancelled; reads and writes that are no points of
//             cancellation; the one system call in which a thread may be cancelled.
// Not here:   what a wait restores when its thread ends (destructors in core and progress).
//
// A cancelled thread unwinds: destructors run, as they do for an exception. But a function that is
// noexcept, or that catches everything, ends the process instead. So a thread may end only where it
// sleeps, holds no lock, and has only unwindable functions above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <sys/types.h>

namespace datum {

// The C library's system calls are points of cancellation. While this object lives, none is.
class NotCancellable {
 public:
  NotCancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancellable() { pthread_setcancelstate(before_, nullptr); }
  NotCancellable(const NotCancellable&) = delete;
  NotCancellable& operator=(const NotCancellable&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// After begin() the thread may end in sleeping_call() and nowhere else, if its program allows
// cancellation. A call that need not sleep does not call begin() and pays nothing. Declare the
// object before a lock is taken, so that its life ends after the lock is released.
class CancellableWait {
 public:
  CancellableWait() = default;
  // Some C libraries act on a pending cancellation as soon as it is allowed again: the thread ends
  // here.
  ~CancellableWait() noexcept(false) {
    if (begun_) end();
  }
  CancellableWait(const CancellableWait&) = delete;
  CancellableWait& operator=(const CancellableWait&) = delete;
  void begin();

 private:
  void end();

  bool begun_ = false;
  bool outer_ = false;
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// syscall(2) for a thread that is about to sleep and holds no lock. After CancellableWait::begin()
// pthread_cancel() ends the thread here, whatever its cancellation type.
long sleeping_call(long number, long a, long b, long c, long d, long e, long f);

// pread(2) and pwrite(2), but no points of cancellation. A Write or a Read of few octets costs
// little more than such a call. A NotCancellable would add 50 instructions, and the C library's
// check for cancellation another 40 in a program with several threads.
ssize_t uncancelled_pread(int fd, void* into, std::size_t length, std::uint64_t offset);
ssize_t uncancelled_pwrite(int fd, const void* from, std::size_t length, std::uint64_t offset);

} // namespace datum
