// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/enough.h: whether enough happened in a search: one in which nobody ever connects breaks
// no invariant.
// Not here:   who counts (failure.h).
#pragma once

#include <cstdint>
#include <string>

#include "failure.h"

namespace datum::test {

// A search of fewer seeds is not judged.
inline constexpr std::uint64_t kFewestJudged = 400;

// A line for each kind of thing that happened too seldom in so many seeds; empty: none did.
std::string too_seldom(const Tally& counted, std::uint64_t seeds);

} // namespace datum::test
