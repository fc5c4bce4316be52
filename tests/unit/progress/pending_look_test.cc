// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PendingLook: the note that some thread has to poll, and by when. tests/orders tests how two
// threads see each other's stores to it.
#include "progress/pending_look.h"

#include <gtest/gtest.h>

namespace datum::test {
namespace {

TEST(PendingLookAlone, TheFirstWhoWantsOneHasToWakeSomebody) {
  PendingLook pending;
  EXPECT_FALSE(pending.is_wanted());
  EXPECT_TRUE(pending.want());
  EXPECT_TRUE(pending.is_wanted());
  EXPECT_FALSE(pending.want()) << "a thread is about to look";
  pending.clear();
  EXPECT_FALSE(pending.is_wanted());
  EXPECT_TRUE(pending.want());
}

TEST(PendingLookAlone, WhoeverLooksTakesTheHurryAlong) {
  PendingLook pending;
  pending.make_urgent();
  EXPECT_TRUE(pending.is_urgent());
  EXPECT_FALSE(pending.is_wanted());
  pending.clear();
  EXPECT_FALSE(pending.is_urgent());
}

TEST(PendingLookAlone, ABackoffThatEndsInTimeIsLeftAlone) {
  PendingLook pending;
  pending.begin_backoff(100);
  pending.begin_sleep();
  EXPECT_FALSE(pending.must_shorten_backoff(100));
  EXPECT_TRUE(pending.must_shorten_backoff(99));
}

TEST(PendingLookAlone, ASleepIsHurriedOnce) {
  PendingLook pending;
  pending.begin_backoff(100);
  pending.begin_sleep();
  EXPECT_TRUE(pending.must_shorten_backoff(50));
  EXPECT_FALSE(pending.must_shorten_backoff(50));
  pending.begin_sleep();
  EXPECT_TRUE(pending.must_shorten_backoff(50));
}

} // namespace
} // namespace datum::test
