// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/clock.h: the kernel's monotonic clock as an Instant, and times in the kernel's form. Only
// code that may read a clock includes it.
#pragma once

#include <ctime>

#include "base/time.h"

namespace datum {

inline Instant monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Instant>(time.tv_sec) * kSecond + time.tv_nsec;
}

// A negative time becomes 0, which the kernel takes for now.
inline timespec timespec_of(std::int64_t time) {
  const std::int64_t left = time < 0 ? 0 : time;
  return {.tv_sec = static_cast<time_t>(left / kSecond),
          .tv_nsec = static_cast<long>(left % kSecond)};
}

} // namespace datum
