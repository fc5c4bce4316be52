// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/usage.h: how much processor time and memory this process uses, and how many descriptors.
#pragma once

#include <cstdint>

namespace datum::perf {

struct Usage {
  // Bytes; a page shared with other processes counts in part (Pss); 0: unknown.
  std::uint64_t memory = 0;
  std::uint64_t descriptors = 0;
};

Usage usage_now();
// User and system, all threads. Not in Usage: counting memory and descriptors takes time itself.
std::uint64_t processor_time_now(); // us

} // namespace datum::perf
