// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/usage.h: what this process costs: processor time, memory, descriptors.
#pragma once

#include <cstdint>

namespace datum::perf {

struct Usage {
  std::uint64_t cpu_us = 0; // user and system, all threads
  std::uint64_t memory = 0; // bytes; pages shared with others count in part (Pss); 0: unknown
  std::uint64_t descriptors = 0;
};

Usage usage_now();
// The first of these alone: counting memory and descriptors takes time itself.
std::uint64_t processor_time_now(); // us

} // namespace datum::perf
