// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/progress/seeds.h: plays a test under many seeds. If a seed fails, prints the command
// that repeats it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace datum::test {

// Calls play(seed) for each seed until a play fails. DATUM_SEEDS=first-last chooses other seeds.
template <class Play>
void each_seed(unsigned long long first, unsigned long long last, Play&& play,
               unsigned long long stride = 1) {
  if (const char* text = std::getenv("DATUM_SEEDS"))
    if (std::sscanf(text, "%llu-%llu", &first, &last) != 2) std::abort();
  for (unsigned long long seed = first; seed <= last; seed += stride) {
    SCOPED_TRACE(testing::Message() << "rerun with DATUM_SEEDS=" << seed << "-" << seed);
    play(seed);
    if (testing::Test::HasFailure()) return;
  }
}

// The seeds that run by default. A play of many steps takes only some of them.
template <class Play>
void each_seed(Play&& play, unsigned long long stride = 1) {
  each_seed(1, 200, play, stride);
}

} // namespace datum::test
