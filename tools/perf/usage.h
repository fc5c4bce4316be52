// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/usage.h: how much processor time, memory and descriptors this process uses.
#pragma once

#include <cstdint>

namespace datum::perf {

struct Usage {
  std::uint64_t cpu_us = 0; // user and system, all threads
  // Bytes; a page shared with other processes counts in part (Pss); 0: unknown.
  std::uint64_t memory = 0;
  std::uint64_t descriptors = 0;
};

Usage usage_now();
// Only Usage::cpu_us: counting memory and descriptors takes time itself.
std::uint64_t processor_time_now(); // us

} // namespace datum::perf
