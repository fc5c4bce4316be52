// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/stopwatch.h: the cheapest clock of this processor.
#pragma once

#include <chrono>
#include <cstdint>

namespace datum::perf {

inline double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

// A counter with a constant rate. Compare it with now_ns() over the same time to get its unit.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}

} // namespace datum::perf
