// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/clock.h: the kernel's monotonic clock as an Instant, for those that may know a clock.
#pragma once

#include <ctime>

#include "base/time.h"

namespace datum {

inline Instant monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Instant>(time.tv_sec) * kSecond + time.tv_nsec;
}

} // namespace datum
