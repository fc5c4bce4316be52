// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/time.h: points in time as the core sees them.
// Not here:   a clock. The code that drives progress supplies the time (progress/, transport/sim/).
#pragma once

#include <cstdint>
#include <limits>

namespace datum {

// Nanoseconds of a monotonic clock. Only the owner of the clock knows its origin.
using Instant = std::int64_t;
using Duration = std::int64_t;

inline constexpr Instant kNever = std::numeric_limits<Instant>::max();
inline constexpr Duration kMicrosecond = 1000;
inline constexpr Duration kMillisecond = 1000 * kMicrosecond;
inline constexpr Duration kSecond = 1000 * kMillisecond;

} // namespace datum
