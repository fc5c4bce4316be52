// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/cancellation.h"

#include <cassert>
#include <cerrno>
#include <unistd.h>

namespace datum {
namespace {

thread_local bool may_end = false; // this thread, in sleeping_call()

} // namespace

void CancellableWait::begin() {
  assert(!begun_);
  begun_ = true;
  outer_ = may_end;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
  may_end = before_ == PTHREAD_CANCEL_ENABLE;
}

void CancellableWait::end() {
  may_end = outer_;
  pthread_setcancelstate(before_, nullptr);
}

// Nothing here has a destructor: the thread may end at any instruction, and only calls can be
// unwound through a function that has something to destroy.
long sleeping_call(long number, long a, long b, long c, long d, long e, long f) {
  if (!may_end) return ::syscall(number, a, b, c, d, e, f);
  int type = PTHREAD_CANCEL_DEFERRED;
  // For one system call, which is no point of cancellation by itself.
  // NOLINTNEXTLINE(concurrency-thread-canceltype-asynchronous)
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_testcancel(); // what came before a signal could tell it
  const long result = ::syscall(number, a, b, c, d, e, f);
  const int error = errno;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  pthread_setcanceltype(type, nullptr);
  errno = error;
  return result;
}

} // namespace datum
