// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PollMeter: counts the polls and copies of the consumer's threads.
#include "progress/poll_meter.h"

#include <gtest/gtest.h>

namespace datum::test {
namespace {

class Meter : public ::testing::Test {
 protected:
  std::uint32_t poll() {
    const std::uint32_t count = meter_.begin_poll();
    meter_.end_poll();
    return count;
  }
  PollMeter meter_;
};

TEST_F(Meter, APollCountsOnce) {
  EXPECT_EQ(poll(), 1U);
  EXPECT_EQ(poll(), 2U);
  EXPECT_EQ(meter_.activity().polls, 2U);
}

// Rules: PROGRESS.8
TEST_F(Meter, TheNextPollCountsForWhatWasCopiedBeforeIt) {
  meter_.begin_copy();
  meter_.end_copy(1024 * 1024);
  meter_.end_copy(16 * 1024);
  EXPECT_EQ(meter_.polls(), 0U);
  EXPECT_EQ(poll(), 66U);
  EXPECT_EQ(poll(), 67U);
}

TEST_F(Meter, AThreadThatSleepsHasCopiedForNoPoll) {
  meter_.end_copy(1024 * 1024);
  meter_.forget_copies();
  EXPECT_EQ(poll(), 1U);
}

// Rules: PROGRESS.8
TEST_F(Meter, OnlyWhoPolledSinceItsLastCopyIsCopying) {
  meter_.begin_copy();
  EXPECT_FALSE(meter_.activity().copying) << "it only posts";
  meter_.end_copy(1);
  poll();
  meter_.begin_copy();
  EXPECT_TRUE(meter_.activity().copying);
  meter_.end_copy(1);
  EXPECT_FALSE(meter_.activity().copying);
  meter_.begin_copy();
  EXPECT_FALSE(meter_.activity().copying);
}

// Rules: PROGRESS.8
TEST_F(Meter, WithinAPollEveryCopyCounts) {
  meter_.begin_poll();
  for (int i = 0; i < 3; ++i) {
    meter_.begin_copy();
    EXPECT_TRUE(meter_.activity().copying);
    meter_.end_copy(1);
  }
  meter_.end_poll();
  meter_.begin_copy();
  EXPECT_FALSE(meter_.activity().copying);
}

TEST_F(Meter, OneOfSoManyIsThorough) {
  meter_.be_thorough_every(3);
  EXPECT_FALSE(meter_.is_thorough(poll()));
  EXPECT_FALSE(meter_.is_thorough(poll()));
  const std::uint32_t third = poll();
  EXPECT_TRUE(meter_.is_thorough(third));
  EXPECT_EQ(meter_.since_thorough(third), 3U);
  meter_.on_thorough(third, 77);
  EXPECT_EQ(meter_.last_timed_poll(), 77);
  EXPECT_EQ(meter_.activity().last_timed_poll, 77);
  EXPECT_FALSE(meter_.is_thorough(poll()));
}

TEST_F(Meter, WaitsAreCountedAsTheyEnd) {
  meter_.on_wait_ended();
  meter_.on_wait_ended();
  EXPECT_EQ(meter_.activity().waits, 2U);
}

} // namespace
} // namespace datum::test
