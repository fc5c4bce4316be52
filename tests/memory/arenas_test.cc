// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The memory that a process's arenas take before the first allocation.
#include "arenas.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace datum::memory {
namespace {

constinit Arenas fresh;

// docs/design/memory.md: a library file that held the table of arenas would be 4 MiB larger.
TEST(Arenas, BeforeTheFirstBlockAreZeroBitsThatNoFileHolds) {
  const auto* octets = reinterpret_cast<const unsigned char*>(&fresh);
  EXPECT_TRUE(
      std::all_of(octets, octets + sizeof fresh, [](unsigned char octet) { return octet == 0; }));
}

} // namespace
} // namespace datum::memory
