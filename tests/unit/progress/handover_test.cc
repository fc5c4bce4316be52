// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handover carries out what the doorbell decides, and tells peers whether this adapter polls.
#include "progress/handover.h"

#include "bare_parts.h"

namespace datum::test {
namespace {

class HandoverAlone : public ::testing::Test, protected BareParts {
 protected:
  Handover& handover_ = driver.handover();
};

TEST_F(HandoverAlone, WithoutABackgroundThreadNobodyIsToldOfPolling) {
  EXPECT_FALSE(handover_.start_polling());
  EXPECT_FALSE(handover_.is_polling());
  EXPECT_TRUE(transport.attention.empty());
}

TEST_F(HandoverAlone, PeersAreToldOnceThatAThreadPolls) {
  put_background_at_doorbell();
  EXPECT_TRUE(handover_.start_polling());
  EXPECT_TRUE(handover_.is_polling());
  EXPECT_EQ(places.log, Log{"wake background"}) << "it backs off from now on";
  EXPECT_FALSE(handover_.start_polling());
  EXPECT_EQ(transport.attention, std::vector{Attention::Polling});
}

TEST_F(HandoverAlone, WhatCameBeforePeersKnewIsLookedAt) {
  put_background_at_doorbell();
  handover_.start_polling();
  transport.look_again = true;
  EXPECT_TRUE(handover_.stop_polling());
  EXPECT_FALSE(handover_.is_polling());
  EXPECT_FALSE(handover_.stop_polling());
  EXPECT_EQ(transport.attention.back(), Attention::Asleep);
}

TEST_F(HandoverAlone, EveryPokeIsCarriedOut) {
  Sleeper sleeper;
  handover_.carry_out({.owner = true, .background = true, .sleeper = &sleeper});
  EXPECT_EQ(places.log, (Log{"wake owner", "wake background", "wake"}));
  handover_.carry_out({});
  EXPECT_EQ(places.log.size(), 3U);
}

TEST_F(HandoverAlone, APokeIsTakenBackByWhoeverWasPoked) {
  Sleeper me;
  handover_.carry_out(doorbell().claim(me));
  handover_.wake();
  EXPECT_EQ(places.owner_wake_ups, 1);
  handover_.on_waiter_woke(me);
  EXPECT_EQ(places.owner_wake_ups, 0);
  handover_.carry_out(doorbell().claim(me));
  handover_.on_waiter_woke(me);
  EXPECT_EQ(places.owner_wake_ups, 0) << "no thread has woken it";
}

TEST_F(HandoverAlone, TheBackgroundThreadIsToldWhetherItWasPoked) {
  put_background_at_doorbell();
  handover_.wake();
  EXPECT_EQ(places.background_wake_ups, 1);
  EXPECT_TRUE(handover_.on_background_woke());
  EXPECT_EQ(places.background_wake_ups, 0);
  doorbell().take_doorbell();
  EXPECT_FALSE(handover_.on_background_woke());
  EXPECT_EQ(places.background_wake_ups, 0);
}

} // namespace
} // namespace datum::test
