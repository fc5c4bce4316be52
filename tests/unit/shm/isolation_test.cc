// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MemoryRange::overlaps(). By it quiesce() and is_isolated() find the regions on isolated pages.
#include <gtest/gtest.h>

#include "transport/shm/isolation.h"

namespace datum::test {
namespace {

TEST(MemoryRangeTest, OneByteInCommonIsAnOverlap) {
  const MemoryRange middle{0x2000, 0x1000};
  EXPECT_TRUE(middle.overlaps({0x2fff, 0x1000}));
  EXPECT_TRUE(middle.overlaps({0x1001, 0x1000}));
  EXPECT_TRUE(middle.overlaps({0x2800, 1}));
  EXPECT_TRUE(middle.overlaps({0, 0x10000}));
}

TEST(MemoryRangeTest, NeighboursDoNotOverlap) {
  const MemoryRange middle{0x2000, 0x1000};
  EXPECT_FALSE(middle.overlaps({0x3000, 0x1000}));
  EXPECT_FALSE(middle.overlaps({0x1000, 0x1000}));
  EXPECT_FALSE(middle.overlaps({0x8000, 0x1000}));
  EXPECT_FALSE(middle.overlaps({0, 0x100}));
}

} // namespace
} // namespace datum::test
