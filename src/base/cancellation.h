// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cancellation.h: where pthread_cancel(3) may end a thread of the consumer inside a call.
// Lives here: keeping a thread from being cancelled, reads and writes in which it never is, and the
//             one system call in which it may be.
// Not here:   what a wait has to put back when its thread ends (core, progress: their destructors).
//
// A cancelled thread unwinds: destructors run, as they do for an exception, but a function that is
// noexcept, or catches everything, ends the process instead. So a thread may only end where it
// sleeps, with nothing but unwindable functions above it, and holding no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <sys/types.h>

namespace datum {

// System calls of the C library are points of cancellation: none is while this lives.
class NotCancellable {
 public:
  NotCancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancellable() { pthread_setcancelstate(before_, nullptr); }
  NotCancellable(const NotCancellable&) = delete;
  NotCancellable& operator=(const NotCancellable&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// From begin() on the thread may end, if its program lets it, but only in sleeping_call(). A call
// that need not sleep does not begin, and pays nothing. Declared before a lock is taken, it ends
// behind it.
class CancellableWait {
 public:
  CancellableWait() = default;
  // Some C libraries act on what has been put off as soon as it is allowed again: the thread ends.
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

// syscall(2) for a thread that is about to sleep and holds no lock: where a CancellableWait says
// so, pthread_cancel ends it here, whichever type of cancellation it has.
long sleeping_call(long number, long a, long b, long c, long d, long e, long f);

// pread(2) and pwrite(2), but no points of cancellation. A Write or a Read of few octets is little
// more than such a call, for which a NotCancellable would add 50 instructions, and the C library's
// way to be cancelled another 40 wherever there is a second thread.
ssize_t uncancelled_pread(int fd, void* into, std::size_t length, std::uint64_t offset);
ssize_t uncancelled_pwrite(int fd, const void* from, std::size_t length, std::uint64_t offset);

} // namespace datum
