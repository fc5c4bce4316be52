// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/local_memory.h: the checks on local segments, at post time and again before each use.
#pragma once

#include <span>

#include "base/status.h"
#include "core/port/region_table.h"
#include "core/port/types.h"

namespace datum {

// Checks each segment in the order of decision 212: context known, inside the LMR, PZ equal, right
// present. Adds up `length`.
Status check_each_segment(const RegionTable& regions, std::span<const LocalTriplet> local,
                          Access right, std::uint32_t zone, std::uint64_t max_length,
                          std::uint64_t& length);

inline Status check_local_memory(const RegionTable& regions, std::span<const LocalTriplet> local,
                                 Access right, std::uint32_t zone, std::uint64_t max_length,
                                 std::uint64_t& length) {
  // The usual single segment needs no loop. If it fails here, check_each_segment() finds out why.
  if (local.size() == 1 && local[0].length <= max_length &&
      regions.covers(local[0].stag, local[0].address, local[0].length, right, zone)) [[likely]] {
    length = local[0].length;
    return kOk;
  }
  return check_each_segment(regions, local, right, zone, max_length, length);
}

// True: segments that passed check_local_memory() earlier may still be touched.
inline bool local_memory_still_valid(const RegionTable& regions,
                                     std::span<const LocalTriplet> local, Access right,
                                     std::uint32_t zone) {
  for (const LocalTriplet& segment : local)
    if (segment.length != 0 &&
        !regions.covers(segment.stag, segment.address, segment.length, right, zone))
      return false;
  return true;
}

} // namespace datum
