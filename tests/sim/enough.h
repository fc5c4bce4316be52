// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/enough.h: whether enough happened in a search. A search in which no EP ever connects
// breaks no invariant.
// Not here:   the counting (failure.h).
#pragma once

#include <cstdint>
#include <string>

#include "failure.h"

namespace datum::test {

// A search of fewer seeds is not judged.
inline constexpr std::uint64_t kFewestJudged = 400;

// A line for each kind of event that was too rare in so many seeds. Empty: none was.
std::string too_seldom(const Tally& counted, std::uint64_t seeds);

} // namespace datum::test
