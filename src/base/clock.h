// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/clock.h: the kernel's monotonic clock as an Instant, and times as the kernel takes them, for
// those that may know a clock.
#pragma once

#include <ctime>

#include "base/time.h"

namespace datum {

inline Instant monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Instant>(time.tv_sec) * kSecond + time.tv_nsec;
}

// As the kernel takes it. What lies in the past is now.
inline timespec timespec_of(std::int64_t time) {
  const std::int64_t left = time < 0 ? 0 : time;
  return {.tv_sec = static_cast<time_t>(left / kSecond),
          .tv_nsec = static_cast<long>(left % kSecond)};
}

} // namespace datum
