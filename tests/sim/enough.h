// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/enough.h: whether enough happened in a search. This is checked because a search in
// which no EP ever connects breaks no invariant.
// Not here:   the counting (failure.h).
#pragma once

#include <cstdint>
#include <string>

#include "failure.h"

namespace datum::test {

// A search of fewer seeds than this is not judged.
inline constexpr std::uint64_t kFewestJudged = 400;

// A line for each kind of event that was too rare in `seeds` seeds. Empty: no kind was too rare.
std::string too_seldom(const Tally& counted, std::uint64_t seeds);

} // namespace datum::test
