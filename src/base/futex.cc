// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/futex.h"

#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/clock.h"

namespace datum {

namespace {

template <class Call>
FutexResult wait_by(Call call, const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    Duration limit) {
  timespec span{};
  timespec* bound = nullptr;
  if (limit != kNever) {
    span = timespec_of(limit);
    bound = &span;
  }
  const long rc = call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT_PRIVATE, expected,
                       reinterpret_cast<long>(bound), 0, 0);
  if (rc == 0) return FutexResult::Woken;
  switch (errno) {
  case ETIMEDOUT: return FutexResult::TimedOut;
  case EINTR: return FutexResult::Interrupted;
  default: return FutexResult::Woken;
  }
}

} // namespace

FutexResult futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       Duration limit) {
  return wait_by(::syscall, word, expected, limit);
}

FutexResult futex_sleep(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                        Duration limit) {
  return wait_by(sleeping_call, word, expected, limit);
}

int why_no_futex() {
  const std::atomic<std::uint32_t> word{0};
  return ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0) < 0 ? errno : 0;
}

int futex_wake(const std::atomic<std::uint32_t>& word, int count) {
  return static_cast<int>(
      ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0));
}

} // namespace datum
