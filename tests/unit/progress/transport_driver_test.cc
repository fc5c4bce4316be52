// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TransportDriver: one turn of an adapter's work. schedule_test.cc tests turns of several threads.
#include "progress/transport_driver.h"

#include "bare_parts.h"

namespace datum::test {
namespace {

class DriverAlone : public ::testing::Test, protected BareParts {
 protected:
  explicit DriverAlone(bool core_to_spare = true) : BareParts(core_to_spare) {}
  // Polls `times` times, `apart` from each other.
  void poll(int times, Duration apart) {
    for (int i = 0; i < times; ++i) {
      places.time += apart;
      driver.poll();
    }
  }
  // Polls until peers know that a thread polls. The last of these polls is a thorough poll
  // (poll_meter.h).
  void poll_until_that_is_known() {
    put_background_at_doorbell();
    while (!driver.handover().is_polling()) poll(1, 1000);
    transport.watches = 0;
  }
  // As after the open of an adapter whose data come by descriptors.
  void open_with_descriptors() {
    transport.comes_by_descriptors = true;
    driver.stop_polling();
  }
  BareTimer timer_;
};
class DriverWithoutCore : public DriverAlone {
 protected:
  DriverWithoutCore() : DriverAlone(false) {}
};

class DriverWhosePeersShareTheCore : public DriverWithoutCore {
 protected:
  DriverWhosePeersShareTheCore() {
    transport.peers_share_core = true;
    driver.look();
    transport.on_progress = [this] { return answered_; };
  }
  // True: the thread has given up the core, as a dequeue that finds nothing does where it may.
  bool dequeue(Duration later) {
    poll(1, later);
    return lock.stepped_aside = std::exchange(lock.may_step_aside, false);
  }
  // Uses up what the budget begins with.
  void dequeue_until_core_is_given_up() {
    while (dequeue(10'000)) continue;
    while (!dequeue(10'000)) continue;
  }
  bool answered_ = false;
};

bool fail_for_memory() {
  throw std::bad_alloc();
}

TEST_F(DriverAlone, APollSaysWhetherSomethingHappened) {
  EXPECT_FALSE(driver.poll());
  transport.on_progress = [] { return true; };
  EXPECT_TRUE(driver.poll());
  EXPECT_EQ(transport.progresses, 2);
  EXPECT_EQ(driver.meter().polls(), 2U);
}

TEST_F(DriverAlone, LackOfMemoryMeansThatThereIsMoreToDo) {
  transport.on_progress = fail_for_memory;
  EXPECT_TRUE(driver.poll());
  EXPECT_TRUE(driver.look());
  transport.on_progress = nullptr;
  timer_.on_expiry = [] { throw std::bad_alloc(); };
  timers.arm(timer_, places.time);
  EXPECT_TRUE(driver.look());
}

TEST_F(DriverAlone, ATurnTakesWhatWasLeftBehind) {
  driver.pending().want();
  driver.poll();
  EXPECT_FALSE(driver.pending().is_wanted());
  driver.pending().want();
  driver.pending().make_urgent();
  EXPECT_FALSE(driver.look());
  EXPECT_FALSE(driver.pending().is_wanted());
  EXPECT_FALSE(driver.pending().is_urgent());
}

TEST_F(DriverAlone, WhoeverKicksItselfLooksAgain) {
  transport.on_progress = [this] {
    driver.pending().want();
    return false;
  };
  EXPECT_TRUE(driver.look());
}

TEST_F(DriverAlone, ALookRunsWhatIsDue) {
  timers.arm(timer_, places.time + 1);
  EXPECT_FALSE(driver.look());
  EXPECT_EQ(timer_.expired, 0);
  places.time += 1;
  EXPECT_TRUE(driver.look());
  EXPECT_EQ(timer_.expired, 1);
}

TEST_F(DriverAlone, ALookIsOfAThreadThatDoesNotPoll) {
  driver.meter().end_copy(1024 * 1024);
  driver.look();
  driver.poll();
  EXPECT_EQ(driver.meter().polls(), 1U);
}

TEST_F(DriverAlone, OneOfSixteenPollsRunsTimers) {
  timers.arm(timer_, places.time);
  poll(15, 1000);
  EXPECT_EQ(timer_.expired, 0);
  places.time += 1000;
  EXPECT_TRUE(driver.poll());
  EXPECT_EQ(timer_.expired, 1);
}

TEST_F(DriverAlone, BesidePeersThatKnowItIsOneOfSixtyFour) {
  poll_until_that_is_known();
  timers.arm(timer_, places.time);
  poll(63, 1000);
  EXPECT_EQ(timer_.expired, 0);
  poll(1, 1000);
  EXPECT_EQ(timer_.expired, 1);
}

TEST_F(DriverAlone, WhoeverPollsOftenEnoughPolls) {
  put_background_at_doorbell();
  poll(16, 1000); // the driver first reads the clock in these polls
  poll(16, 4001);
  EXPECT_FALSE(driver.handover().is_polling());
  poll(16, 4000);
  EXPECT_TRUE(driver.handover().is_polling());
}

TEST_F(DriverAlone, AnAdapterThatIsWatchedIsLookedAfterWithEachPoll) {
  put_background_at_doorbell();
  transport.watch_at = 1;
  poll(16, 10'000);
  EXPECT_EQ(transport.watches, 1);
  poll(1, 10'000);
  EXPECT_EQ(transport.watches, 1) << "too soon, and too few";
  poll(4, 10'000);
  EXPECT_EQ(transport.watches, 2) << "after 50 us";
}

TEST_F(DriverAlone, APollerLooksAtDescriptorsThatOnlyRingNowAndThen) {
  poll_until_that_is_known();
  transport.gap = 40'000;
  const int before = places.looks;
  poll(64 * 100, 100);
  EXPECT_GE(places.looks - before, 15); // 640 us
  EXPECT_LE(places.looks - before, 30);
  EXPECT_EQ(transport.watches, places.looks - before) << "with each, also after what it has left";
}

TEST_F(DriverAlone, WhereDataComesByDescriptorsEveryPollOfAPollerLooks) {
  transport.comes_by_descriptors = true;
  transport.gap = 0;
  poll_until_that_is_known();
  const int before = places.looks;
  poll(10, 1000);
  EXPECT_EQ(places.looks - before, 10);
  places.is_ready = true;
  EXPECT_TRUE(driver.poll());
}

TEST_F(DriverAlone, ASlowPollLooksIfTheBackgroundThreadBackoffs) {
  open_with_descriptors();
  doorbell().background_started();
  doorbell().back_off();
  poll(16, 100'000);
  EXPECT_EQ(places.looks, 16);
}

TEST_F(DriverAlone, ASlowPollLeavesThemToWhoSleepsAtTheDoorbell) {
  open_with_descriptors();
  put_background_at_doorbell();
  driver.handle_what_is_ready(places.time);
  poll(10, 100'000);
  EXPECT_EQ(places.looks, 1) << "a millisecond has not passed";
  poll(1, 100'000);
  EXPECT_EQ(places.looks, 2) << "now it has: no processor runs that thread";
}

TEST_F(DriverAlone, WhatWasFoundReadyAtTheDoorbellIsALook) {
  open_with_descriptors();
  put_background_at_doorbell();
  driver.handle({});
  EXPECT_EQ(places.handled, 1);
  poll(10, 100'000);
  EXPECT_EQ(places.looks, 0);
}

// A woken thread would run after 25 us, later than the next poll.
TEST_F(DriverAlone, WhereDataComesByDescriptorsARowOfPollsThatComeBeforeAWakeUpCountsAsPolling) {
  open_with_descriptors();
  put_background_at_doorbell();
  poll(20, waiting::kWakeUp + 1'000);
  EXPECT_FALSE(driver.handover().is_polling());
  poll(20, waiting::kWakeUp);
  EXPECT_TRUE(driver.handover().is_polling());
  EXPECT_EQ(doorbell().background(), Doorbell::Background::Awake) << "and is about to back off";
}

// A program that asks its EVDs one after the other, and then computes.
TEST_F(DriverAlone, AFewPollsInARowDoNot) {
  open_with_descriptors();
  put_background_at_doorbell();
  for (int sweep = 0; sweep < 20; ++sweep) {
    poll(1, 95'000);
    poll(3, 5'000);
    EXPECT_FALSE(driver.handover().is_polling());
  }
}

TEST_F(DriverWithoutCore, TwoPollsInAMillisecondDoNot) {
  open_with_descriptors();
  put_background_at_doorbell();
  for (int i = 0; i < 20; ++i) {
    poll(1, kMillisecond);
    poll(1, 20'000);
    EXPECT_FALSE(driver.handover().is_polling());
  }
}

TEST_F(DriverAlone, ElsewherePollsFurtherThan4usApartDoNot) {
  put_background_at_doorbell();
  poll(200, waiting::kPollingGap + 100);
  EXPECT_FALSE(driver.handover().is_polling());
  poll(200, waiting::kPollingGap);
  EXPECT_TRUE(driver.handover().is_polling());
}

TEST_F(DriverWithoutCore, ASlowPollLooksItself) {
  open_with_descriptors();
  put_background_at_doorbell();
  driver.handle_what_is_ready(places.time);
  poll(10, 100'000);
  EXPECT_EQ(places.looks, 11);
}

TEST_F(DriverWhosePeersShareTheCore, APollInVainGivesUpTheCoreIfThatPays) {
  dequeue_until_core_is_given_up();
  for (int i = 0; i < 100; ++i) {
    answered_ = true; // the peer has run
    EXPECT_FALSE(dequeue(10'000)) << "something has come";
    answered_ = false;
    EXPECT_TRUE(dequeue(10'000));
  }
}

// The program, or the peer, computes. Each try may cost the program a time slice.
TEST_F(DriverWhosePeersShareTheCore, OtherwiseOnePollOf64DoesSo) {
  dequeue_until_core_is_given_up();
  int tries = 0;
  for (int i = 0; i < 6'400; ++i) {
    if (dequeue(100'000)) ++tries;
  }
  EXPECT_EQ(tries, 100);
}

TEST_F(DriverWhosePeersShareTheCore, AfterOneThatPaidFourMayBeInVain) {
  dequeue_until_core_is_given_up();
  answered_ = true;
  dequeue(10'000);
  answered_ = false;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(dequeue(10'000));
  EXPECT_FALSE(dequeue(10'000));
}

// A wait polls, too, and does not give up the core afterwards but sleeps.
TEST_F(DriverWhosePeersShareTheCore, PollsOfWaitsTellNothing) {
  dequeue_until_core_is_given_up();
  answered_ = true;
  dequeue(10'000);
  answered_ = false;
  poll(1'000, 10'000);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(dequeue(10'000));
}

// The peer has run, and has rung the background thread.
TEST_F(DriverWhosePeersShareTheCore, WhatTheBackgroundThreadFindsPays) {
  dequeue_until_core_is_given_up();
  for (int i = 0; i < 100; ++i) {
    answered_ = true;
    driver.look();
    answered_ = false;
    EXPECT_TRUE(dequeue(10'000));
  }
}

TEST_F(DriverWhosePeersShareTheCore, WithoutThemNoPollGivesUpTheCore) {
  dequeue_until_core_is_given_up();
  transport.peers_share_core = false;
  for (int i = 0; i < 16; ++i) dequeue(10'000);
  EXPECT_FALSE(driver.shares_core());
  for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(dequeue(10'000));
}

TEST_F(DriverWithoutCore, AThreadThatSleepsFindsOutThatPeersShareTheCore) {
  transport.peers_share_core = true;
  driver.look();
  EXPECT_TRUE(driver.shares_core());
}

TEST_F(DriverAlone, WithACoreToSpareTheDriverDoesNotAsk) {
  transport.peers_share_core = true;
  driver.look();
  for (int i = 0; i < 1'000; ++i) {
    poll(1, 1000);
    ASSERT_FALSE(lock.may_step_aside);
  }
  EXPECT_FALSE(driver.shares_core());
}

// Between two polls of the row the peer runs.
TEST_F(DriverWhosePeersShareTheCore, ARowOfPollsOfTurnsCountsAsPolling) {
  put_background_at_doorbell();
  poll(20, waiting::kTurns + 1'000);
  EXPECT_FALSE(driver.handover().is_polling());
  poll(1, waiting::kTurns);
  EXPECT_FALSE(driver.handover().is_polling()) << "the row is shorter than a tick";
  poll(1, waiting::kTurns);
  EXPECT_TRUE(driver.handover().is_polling());
}

TEST_F(DriverWhosePeersShareTheCore, AFewPollsInARowDoNot) {
  put_background_at_doorbell();
  for (const Duration apart : {1'000, 2'000, 6'000}) {
    for (int sweep = 0; sweep < 20; ++sweep) {
      poll(1, 95'000);
      poll(3, apart);
      EXPECT_FALSE(driver.handover().is_polling());
    }
  }
}

TEST_F(DriverWhosePeersShareTheCore, EachPollRunsTimers) {
  poll_until_that_is_known();
  timers.arm(timer_, places.time);
  poll(1, 1000);
  EXPECT_EQ(timer_.expired, 1);
}

TEST_F(DriverAlone, APollThatComesTooEarlyToBeThoroughSaysWhatItDid) {
  open_with_descriptors();
  put_background_at_doorbell();
  poll(1, 100'000);
  transport.on_progress = [] { return true; };
  places.time += 1000;
  EXPECT_TRUE(driver.poll());
  EXPECT_EQ(places.looks, 1) << "of the first poll";
}

TEST_F(DriverAlone, WhereNobodyRingsTheNextTurnIsKnown) {
  EXPECT_EQ(driver.next_turn(), kNever);
  timers.arm(timer_, 5 * kSecond);
  EXPECT_EQ(driver.next_turn(), 5 * kSecond);
  transport.watch_at = 3 * kSecond;
  EXPECT_EQ(driver.next_turn(), 3 * kSecond);
}

} // namespace
} // namespace datum::test
