// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/memory_word.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace datum::registry {
namespace {

// Restores the caller's errno at its end.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_ = errno;
};

} // namespace

bool read_word_by_kernel(const void* address, const void*& word, bool& forbidden) noexcept {
  const KeepErrno keep;
  iovec to{&word, sizeof word};
  iovec from{const_cast<void*>(address), sizeof word};
  const ssize_t got = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
  forbidden = got < 0 && errno != EFAULT;
  return got == static_cast<ssize_t>(sizeof word);
}

__attribute__((no_sanitize("address", "thread"))) bool
read_word_if_readable(const void* address, const void*& word) noexcept {
  const KeepErrno keep;
  // The kernel copies the signal set in before it checks the first argument, which is invalid. So
  // the call fails with EFAULT if the address cannot be read, and with EINVAL if it can. It never
  // has an effect.
  constexpr int kNoSuchAction = -1;
  constexpr std::size_t kSetBytes = 8;
  static_assert(kSetBytes == sizeof word);
  if (::syscall(SYS_rt_sigprocmask, kNoSuchAction, address, nullptr, kSetBytes) == 0) return false;
  if (errno != EINVAL) return false;
  word = __atomic_load_n(static_cast<const void* const*>(address), __ATOMIC_RELAXED);
  return true;
}

bool read_word(const void* address, const void*& word) noexcept {
  bool forbidden = false;
  if (read_word_by_kernel(address, word, forbidden)) return true;
  return forbidden && read_word_if_readable(address, word);
}

} // namespace datum::registry
