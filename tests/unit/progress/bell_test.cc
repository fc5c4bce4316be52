// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/bell.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

using Background = Bell::Background;

TEST(Bell, AWaiterTakesItFromTheBackgroundThread) {
  Bell bell;
  Sleeper me;
  bell.background_started();
  bell.take_bell();
  EXPECT_TRUE(bell.claim(me).background);
  EXPECT_TRUE(bell.waiter_owns());
  EXPECT_EQ(bell.background(), Background::Awake);
  EXPECT_TRUE(bell.background_woke());
}

TEST(Bell, AParkedBackgroundThreadIsNotPokedByAClaim) {
  Bell bell;
  Sleeper me;
  Sleeper next;
  bell.background_started();
  bell.claim(me);
  bell.park();
  bell.woke(me);
  EXPECT_FALSE(bell.claim(next).background);
  bell.woke(next);
}

TEST(Bell, TheOwnerThatLeavesHandsOverToASleepingWaiter) {
  Bell bell;
  Sleeper owner;
  Sleeper other;
  bell.background_started();
  bell.claim(owner);
  bell.line_up(other);
  bell.park();
  EXPECT_FALSE(bell.woke(owner));
  const Pokes pokes = bell.leave();
  EXPECT_EQ(pokes.sleeper, &other);
  EXPECT_FALSE(pokes.background);
  EXPECT_EQ(other.word.load(), 1U);
}

TEST(Bell, TheLastWaiterHandsOverToTheParkedBackgroundThread) {
  Bell bell;
  Sleeper owner;
  bell.background_started();
  bell.claim(owner);
  bell.park();
  bell.woke(owner);
  EXPECT_TRUE(bell.leave().background);
}

TEST(Bell, LeavingPokesNobodyWhileTheBackgroundThreadIsUpAnyway) {
  for (const bool napping : {false, true}) {
    Bell bell;
    Sleeper owner;
    bell.background_started();
    if (napping) bell.nap();
    bell.claim(owner);
    bell.woke(owner);
    EXPECT_FALSE(bell.leave().background);
  }
}

TEST(Bell, LeavingPokesNobodyWhileAnotherWaiterOwnsIt) {
  Bell bell;
  Sleeper owner;
  Sleeper other;
  bell.background_started();
  bell.claim(owner);
  bell.park();
  bell.line_up(other);
  bell.woke(other);
  const Pokes pokes = bell.leave();
  EXPECT_EQ(pokes.sleeper, nullptr);
  EXPECT_FALSE(pokes.background);
  bell.woke(owner);
}

TEST(Bell, ASignalPokesTheOwnerOnce) {
  Bell bell;
  Sleeper owner;
  bell.claim(owner);
  EXPECT_TRUE(bell.signal(owner).owner);
  EXPECT_FALSE(bell.signal(owner).owner);
  EXPECT_FALSE(bell.kick().owner);
  EXPECT_TRUE(bell.woke(owner));
  bell.claim(owner);
  EXPECT_TRUE(bell.signal(owner).owner);
  bell.woke(owner);
}

TEST(Bell, ASignalWakesASleeperOnceAndTakesItOutOfTheLine) {
  Bell bell;
  Sleeper owner;
  Sleeper other;
  bell.claim(owner);
  bell.line_up(other);
  EXPECT_EQ(bell.signal(other).sleeper, &other);
  EXPECT_EQ(bell.signal(other).sleeper, nullptr);
  bell.woke(owner);
  EXPECT_EQ(bell.leave().sleeper, nullptr);
}

TEST(Bell, PollingBeginsOnlyWithABackgroundThreadThatNoticesItsEnd) {
  Bell bell;
  EXPECT_FALSE(bell.can_start_polling());
  bell.background_started();
  EXPECT_TRUE(bell.can_start_polling());
  bell.take_bell();
  EXPECT_TRUE(bell.start_polling().background);
  EXPECT_TRUE(bell.polling());
  EXPECT_FALSE(bell.can_start_polling());
}

TEST(Bell, AKickReachesWhoeverSleepsWithoutALimit) {
  Bell bell;
  Sleeper owner;
  bell.background_started();
  bell.take_bell();
  EXPECT_TRUE(bell.kick().background);
  EXPECT_TRUE(bell.background_woke());
  EXPECT_FALSE(bell.kick().background);
  bell.nap();
  EXPECT_FALSE(bell.kick().background);
  bell.background_woke();
  bell.claim(owner);
  bell.park();
  const Pokes pokes = bell.kick();
  EXPECT_TRUE(pokes.owner);
  EXPECT_FALSE(pokes.background);
  bell.woke(owner);
}

TEST(Bell, ClosingEndsEvenANap) {
  Bell bell;
  bell.background_started();
  bell.nap();
  EXPECT_TRUE(bell.rouse_for_stop().background);
  EXPECT_TRUE(bell.background_woke());
}

} // namespace
} // namespace datum
