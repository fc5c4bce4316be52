// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When a poller next checks which descriptors are ready.
#include "progress/descriptor_pace.h"

#include <gtest/gtest.h>

namespace datum::test {
namespace {

TEST(DescriptorPaceAlone, LooksInVainAreEverFartherApart) {
  DescriptorPace pace;
  Instant now = kSecond;
  EXPECT_TRUE(pace.is_due(now));
  for (const Duration gap : {500, 1500, 3500, 4000, 4000}) {
    pace.on_look(false, now, 4000);
    EXPECT_FALSE(pace.is_due(now + gap - 1));
    EXPECT_TRUE(pace.is_due(now + gap));
    now += gap;
  }
}

TEST(DescriptorPaceAlone, BehindOneThatFoundSomethingTheNextIsDue) {
  DescriptorPace pace;
  pace.on_look(false, 0, 4000);
  pace.on_look(false, 500, 4000);
  pace.on_look(true, 2000, 4000);
  EXPECT_TRUE(pace.is_due(2000));
  pace.on_look(false, 2000, 4000);
  EXPECT_TRUE(pace.is_due(2500));
}

TEST(DescriptorPaceAlone, WhereDataComesByThemEveryPollLooks) {
  DescriptorPace pace;
  for (Instant now = 0; now < 5; ++now) {
    EXPECT_TRUE(pace.is_due(now));
    pace.on_look(false, now, 0);
  }
}

} // namespace
} // namespace datum::test
