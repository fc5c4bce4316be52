// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/clock.h: a clock of nanoseconds, and work that takes a given time.
#pragma once

#include <cstdint>
#include <time.h>

namespace waiting {

inline constexpr std::int64_t kMicrosecond = 1'000;
inline constexpr std::int64_t kMillisecond = 1'000'000;

inline std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// Makes no system call.
inline void work_until(std::int64_t end) {
  while (now() < end) {
  }
}
inline void work(std::int64_t nanoseconds) {
  work_until(now() + nanoseconds);
}

} // namespace waiting
