// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/doorbell.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

using Background = Doorbell::Background;

TEST(Doorbell, AWaiterTakesItFromTheBackgroundThread) {
  Doorbell doorbell;
  Sleeper me;
  doorbell.background_started();
  doorbell.take_doorbell();
  EXPECT_TRUE(doorbell.claim(me).background);
  EXPECT_TRUE(doorbell.waiter_owns());
  EXPECT_EQ(doorbell.background(), Background::Awake);
  EXPECT_TRUE(doorbell.background_woke());
}

TEST(Doorbell, AParkedBackgroundThreadIsNotWokenByAClaim) {
  Doorbell doorbell;
  Sleeper me;
  Sleeper next;
  doorbell.background_started();
  doorbell.claim(me);
  doorbell.park();
  doorbell.woke(me);
  EXPECT_FALSE(doorbell.claim(next).background);
  doorbell.woke(next);
}

TEST(Doorbell, TheOwnerThatLeavesHandsOverToASleepingWaiter) {
  Doorbell doorbell;
  Sleeper owner;
  Sleeper other;
  doorbell.background_started();
  doorbell.claim(owner);
  doorbell.line_up(other);
  doorbell.park();
  EXPECT_FALSE(doorbell.woke(owner));
  const WakeUps wake_ups = doorbell.leave();
  EXPECT_EQ(wake_ups.sleeper, &other);
  EXPECT_FALSE(wake_ups.background);
  EXPECT_EQ(other.word.load(), 1U);
}

TEST(Doorbell, TheLastWaiterHandsOverToTheParkedBackgroundThread) {
  Doorbell doorbell;
  Sleeper owner;
  doorbell.background_started();
  doorbell.claim(owner);
  doorbell.park();
  doorbell.woke(owner);
  EXPECT_TRUE(doorbell.leave().background);
}

TEST(Doorbell, LeavingWakesNoThreadWhileTheBackgroundThreadIsUpAnyway) {
  for (const bool backing_off : {false, true}) {
    Doorbell doorbell;
    Sleeper owner;
    doorbell.background_started();
    if (backing_off) doorbell.back_off();
    doorbell.claim(owner);
    doorbell.woke(owner);
    EXPECT_FALSE(doorbell.leave().background);
  }
}

TEST(Doorbell, LeavingWakesNoThreadWhileAnotherWaiterOwnsIt) {
  Doorbell doorbell;
  Sleeper owner;
  Sleeper other;
  doorbell.background_started();
  doorbell.claim(owner);
  doorbell.park();
  doorbell.line_up(other);
  doorbell.woke(other);
  const WakeUps wake_ups = doorbell.leave();
  EXPECT_EQ(wake_ups.sleeper, nullptr);
  EXPECT_FALSE(wake_ups.background);
  doorbell.woke(owner);
}

TEST(Doorbell, ASignalWakesTheOwnerOnce) {
  Doorbell doorbell;
  Sleeper owner;
  doorbell.claim(owner);
  EXPECT_TRUE(doorbell.signal(owner).owner);
  EXPECT_FALSE(doorbell.signal(owner).owner);
  EXPECT_FALSE(doorbell.wake_any().owner);
  EXPECT_TRUE(doorbell.woke(owner));
  doorbell.claim(owner);
  EXPECT_TRUE(doorbell.signal(owner).owner);
  doorbell.woke(owner);
}

TEST(Doorbell, ASignalWakesASleeperOnceAndTakesItOutOfTheLine) {
  Doorbell doorbell;
  Sleeper owner;
  Sleeper other;
  doorbell.claim(owner);
  doorbell.line_up(other);
  EXPECT_EQ(doorbell.signal(other).sleeper, &other);
  EXPECT_EQ(doorbell.signal(other).sleeper, nullptr);
  doorbell.woke(owner);
  EXPECT_EQ(doorbell.leave().sleeper, nullptr);
}

TEST(Doorbell, PollingBeginsOnlyWithABackgroundThreadThatNoticesItsEnd) {
  Doorbell doorbell;
  EXPECT_FALSE(doorbell.can_start_polling());
  doorbell.background_started();
  EXPECT_TRUE(doorbell.can_start_polling());
  doorbell.take_doorbell();
  EXPECT_TRUE(doorbell.start_polling().background);
  EXPECT_TRUE(doorbell.polling());
  EXPECT_FALSE(doorbell.can_start_polling());
}

TEST(Doorbell, AWakeUpReachesWhoeverSleepsWithoutALimit) {
  Doorbell doorbell;
  Sleeper owner;
  doorbell.background_started();
  doorbell.take_doorbell();
  EXPECT_TRUE(doorbell.wake_any().background);
  EXPECT_TRUE(doorbell.background_woke());
  EXPECT_FALSE(doorbell.wake_any().background);
  doorbell.back_off();
  EXPECT_FALSE(doorbell.wake_any().background);
  doorbell.background_woke();
  doorbell.claim(owner);
  doorbell.park();
  const WakeUps wake_ups = doorbell.wake_any();
  EXPECT_TRUE(wake_ups.owner);
  EXPECT_FALSE(wake_ups.background);
  doorbell.woke(owner);
}

TEST(Doorbell, ClosingEndsEvenABackoff) {
  Doorbell doorbell;
  doorbell.background_started();
  doorbell.back_off();
  EXPECT_TRUE(doorbell.wake_for_stop().background);
  EXPECT_TRUE(doorbell.background_woke());
}

} // namespace
} // namespace datum
