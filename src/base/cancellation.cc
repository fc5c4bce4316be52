// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/cancellation.h"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/tsan.h"

// A sanitizer sees the reads and writes of the C library's functions, but not those of a bare
// system call. So under a sanitizer uncancelled_pread() and uncancelled_pwrite() call the C
// library.
#if defined(__SANITIZE_ADDRESS__) || defined(DATUM_TSAN)
#define DATUM_SANITIZED_CALLS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DATUM_SANITIZED_CALLS 1
#endif
#endif

namespace datum {
namespace {

// pthread_cancel() may end this thread while it is in sleeping_call().
thread_local bool may_end = false;

} // namespace

void CancellableWait::begin() {
  DATUM_ASSERT(!begun_);
  begun_ = true;
  outer_ = may_end;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
  may_end = before_ == PTHREAD_CANCEL_ENABLE;
}

void CancellableWait::end() {
  may_end = outer_;
  pthread_setcancelstate(before_, nullptr);
}

// This function has no local with a destructor. A thread that is cancelled asynchronously may end
// at any instruction, but the unwinder can run destructors only if the thread stopped at a call.
long sleeping_call(long number, long a, long b, long c, long d, long e, long f) {
  if (!may_end) return ::syscall(number, a, b, c, d, e, f);
  int type = PTHREAD_CANCEL_DEFERRED;
  // syscall(2) is no cancellation point, so cancellation is asynchronous around this one call.
  // NOLINTNEXTLINE(concurrency-thread-canceltype-asynchronous)
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_testcancel(); // ends the thread if pthread_cancel() came while cancellation was disabled
  const long result = ::syscall(number, a, b, c, d, e, f);
  const int error = errno;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  pthread_setcanceltype(type, nullptr);
  errno = error;
  return result;
}

#if defined(DATUM_SANITIZED_CALLS)
ssize_t uncancelled_pread(int fd, void* into, std::size_t length, std::uint64_t offset) {
  const NotCancellable here;
  return ::pread(fd, into, length, static_cast<off_t>(offset));
}
ssize_t uncancelled_pwrite(int fd, const void* from, std::size_t length, std::uint64_t offset) {
  const NotCancellable here;
  return ::pwrite(fd, from, length, static_cast<off_t>(offset));
}
#else
static_assert(sizeof(long) == sizeof(off_t), "the kernel takes the offset in one word");
ssize_t uncancelled_pread(int fd, void* into, std::size_t length, std::uint64_t offset) {
  return ::syscall(SYS_pread64, fd, into, length, offset);
}
ssize_t uncancelled_pwrite(int fd, const void* from, std::size_t length, std::uint64_t offset) {
  return ::syscall(SYS_pwrite64, fd, from, length, offset);
}
#endif

} // namespace datum
