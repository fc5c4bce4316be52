// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A wait of one thread, with the actions of other threads while it sleeps.
#include "progress/consumer_wait.h"

#include "bare_parts.h"

namespace datum::test {
namespace {

class WaitAlone : public ::testing::Test, protected BareParts {
 protected:
  explicit WaitAlone(bool core_to_spare = false) : BareParts(core_to_spare) {}
  // Another thread signals while this one sleeps.
  void signal_in_sleep() {
    places.while_asleep.emplace_back([this] { with_lock([this] { wait_.signal(point_); }); });
  }
  WaitPoint point_;
  Polls polls_{*this};
  ConsumerWait wait_{lock, places, driver, polls_};
};
// Each of many sleeps is ended by work that does not end the wait. After them the wait polls before
// the next sleep.
class WaitAmongWrites : public WaitAlone {
 protected:
  static constexpr int kSleeps = 64;
  WaitAmongWrites() {
    put_background_at_doorbell();
    places.a_look_at_the_clock = 500;
    for (int i = 0; i < kSleeps; ++i) places.while_asleep.emplace_back([this] { arrived_ = true; });
    transport.on_progress = [this] {
      return driver.handover().is_polling() ? while_polling_() : std::exchange(arrived_, false);
    };
  }
  std::function<bool()> while_polling_ = [] { return false; };
  bool arrived_ = false;
};
class WaitWithCore : public WaitAlone {
 protected:
  WaitWithCore() : WaitAlone(true) { places.a_look_at_the_clock = 1000; }
};

TEST_F(WaitAlone, WhatIsSignalledIsNotWaitedFor) {
  wait_.signal(point_);
  EXPECT_EQ(wait_.wait(point_, 0), WaitResult::Signalled);
  EXPECT_EQ(transport.progresses, 0);
}

TEST_F(WaitAlone, APollMayBringIt) {
  transport.on_progress = [this] { return point_.signalled = true; };
  EXPECT_EQ(wait_.wait(point_, 0), WaitResult::Signalled);
  EXPECT_TRUE(places.log.empty());
}

TEST_F(WaitAlone, AWaitWithoutTimePollsOnce) {
  EXPECT_EQ(wait_.wait(point_, places.time), WaitResult::TimedOut);
  EXPECT_EQ(transport.progresses, 1);
  EXPECT_TRUE(places.log.empty());
}

TEST_F(WaitAlone, ItSleepsAtTheDoorbellUntilItIsPoked) {
  signal_in_sleep();
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_EQ(places.log, (Log{"at doorbell", "wake owner"}));
  EXPECT_EQ(places.owner_wake_ups, 0) << "the wake-up was taken back";
  EXPECT_EQ(places.handled, 1);
  EXPECT_EQ(point_.sleeper, nullptr);
  EXPECT_FALSE(doorbell().waiter_owns());
  EXPECT_EQ(driver.meter().activity().waits, 1U);
  EXPECT_TRUE(lock.held());
}

TEST_F(WaitAlone, ItSleepsNoLongerThanUntilTheNextTurn) {
  transport.watch_at = places.time + 10;
  signal_in_sleep();
  wait_.wait(point_, places.time + 100);
  EXPECT_EQ(places.slept_until, places.time + 10);
}

TEST_F(WaitAlone, ItsTimeLimitEndsIt) {
  places.while_asleep.emplace_back([this] { places.time += 100; });
  EXPECT_EQ(wait_.wait(point_, places.time + 100), WaitResult::TimedOut);
  EXPECT_EQ(places.slept_until, places.time);
}

TEST_F(WaitAlone, ASignalHandlerEndsItBehindALook) {
  places.wakes_by = Wake::Interrupted;
  places.while_asleep.emplace_back([] {});
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Interrupted);
  places.while_asleep.emplace_back(
      [this] { transport.on_progress = [this] { return point_.signalled = true; }; });
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled) << "the look has found it";
}

TEST_F(WaitAlone, AsLongAsThereIsWorkItDoesNotSleep) {
  int left = 3;
  transport.on_progress = [&] { return left-- > 0; };
  signal_in_sleep();
  wait_.wait(point_, kNever);
  EXPECT_EQ(lock.times_let_in, 2) << "the first was a poll";
}

TEST_F(WaitAlone, WhatWasPutOffRunsBeforeItOwnsTheDoorbell) {
  lock.put_off = true;
  lock.on_free = [this] { EXPECT_FALSE(doorbell().waiter_owns() && lock.times_let_in == 0); };
  signal_in_sleep();
  wait_.wait(point_, kNever);
  EXPECT_EQ(lock.times_let_in, 1);
}

TEST_F(WaitAlone, PeersAreToldToRingBeforeItSleepsAndItLooksAgain) {
  put_background_at_doorbell();
  driver.start_polling();
  transport.look_again = true;
  signal_in_sleep();
  const int before = transport.progresses;
  wait_.wait(point_, kNever);
  EXPECT_EQ(transport.attention.back(), Attention::Asleep);
  EXPECT_EQ(transport.progresses - before, 4) << "a poll, a look, another, and one after the sleep";
}

// Rules: PROGRESS.8
TEST_F(WaitAmongWrites, WhatFollowsSoonIsTakenWithoutASleep) {
  int come = 0;
  int polls = 0;
  while_polling_ = [&] { return ++polls % 30 == 0 && come < 5 && ++come != 0; };
  places.while_asleep.emplace_back([&] {
    EXPECT_EQ(come, 5);
    EXPECT_FALSE(driver.handover().is_polling());
    with_lock([this] { wait_.signal(point_); });
  });
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_TRUE(places.while_asleep.empty());
}

TEST_F(WaitAmongWrites, TheEventEndsThePolling) {
  while_polling_ = [this] { return point_.signalled = true; };
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
}

TEST_F(WaitAmongWrites, SoDoesTheTimeLimitAmongWorkWithoutEnd) {
  const Instant deadline = places.time + 1'000'000;
  while_polling_ = [] { return true; };
  places.while_asleep.emplace_back([] {}); // the last sleep ends at once
  EXPECT_EQ(wait_.wait(point_, deadline), WaitResult::TimedOut);
  EXPECT_LE(places.slept_until, deadline);
  EXPECT_LE(places.time, deadline + 10'000);
}

// Only a sleep can be interrupted or cancelled.
TEST_F(WaitAmongWrites, WorkWithoutEndIsInterruptedByASleepEachMillisecond) {
  while_polling_ = [] { return true; };
  const Instant began = places.time;
  for (int i = 0; i < 3; ++i) places.while_asleep.emplace_back([] {});
  places.while_asleep.emplace_back([this] { with_lock([this] { wait_.signal(point_); }); });
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_GE(places.time - began, 3 * kMillisecond);
  EXPECT_LE(places.time - began, 5 * kMillisecond);
}

TEST_F(WaitAmongWrites, AnEventSignalledAsThePollingEndsIsNotLost) {
  Instant began = 0;
  while_polling_ = [&] {
    if (began == 0) began = places.time;
    return false;
  };
  lock.on_free = [&] {
    if (began == 0 || places.time - began < waiting::kLinger) return;
    lock.on_free = nullptr;
    with_lock([this] { wait_.signal(point_); });
  };
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled); // there is no further sleep
  EXPECT_NE(began, 0);
}

// What the last look before the sleep takes may be the event, although it says that it found
// nothing, for want of memory.
TEST_F(WaitAmongWrites, AnEventFoundByTheLookBehindItIsNotLost) {
  bool lingered = false;
  transport.on_progress = [&] {
    if (driver.handover().is_polling()) return lingered = true, false;
    if (lingered) wait_.signal(point_);
    return std::exchange(arrived_, false);
  };
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled); // there is no further sleep
}

// If peers no longer rang, no thread would look for what comes when this one leaves its wait.
TEST_F(WaitAmongWrites, BesideAnOwnerThatSleepsItDoesNotPoll) {
  Sleeper other;
  bool polled = false;
  while_polling_ = [&] { return polled = true, false; };
  lock.on_free = [&] {
    if (!driver.handover().is_polling()) return;
    lock.on_free = nullptr;
    with_lock([&] { // another waiter, as ConsumerWait::sleep() does
      driver.stop_polling();
      driver.handover().carry_out(doorbell().claim(other));
    });
  };
  places.while_asleep.emplace_back([&] {
    EXPECT_TRUE(polled);
    EXPECT_FALSE(driver.handover().is_polling());
    EXPECT_EQ(places.log.back(), "beside");
    polled = false;
    with_lock([this] { wait_.signal(point_); });
  });
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_FALSE(polled);
  doorbell().woke(other);
}

TEST_F(WaitAmongWrites, AParkedBackgroundThreadStaysParkedMeanwhile) {
  places.while_asleep.front() = [this] {
    driver.handover().on_background_woke();
    doorbell().park();
    arrived_ = true;
  };
  int polls = 0;
  while_polling_ = [&] {
    EXPECT_EQ(doorbell().background(), Doorbell::Background::Parked);
    return ++polls == 5;
  };
  places.while_asleep.emplace_back([this] { with_lock([this] { wait_.signal(point_); }); });
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_GE(polls, 5);
}

// The event of each wait comes while the thread lingers.
TEST_F(WaitAmongWrites, AnEventFoundBySuchPollingMakesItWorthwhile) {
  int found = 0;
  while_polling_ = [&] { return ++found, point_.signalled = true; };
  wait_.wait(point_, kNever);
  EXPECT_EQ(found, 1);
  for (int i = 0; i < 10; ++i) {
    point_.signalled = false;
    driver.stop_polling();
    places.while_asleep.assign(1, [this] { arrived_ = true; });
    places.time += kMillisecond;
    EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  }
  EXPECT_EQ(found, 11);
}

TEST_F(WaitAlone, WhereAnotherOwnsTheDoorbellItSleepsBesideIt) {
  Sleeper other;
  driver.handover().carry_out(doorbell().claim(other));
  signal_in_sleep();
  EXPECT_EQ(wait_.wait(point_, places.time + 100), WaitResult::Signalled);
  EXPECT_EQ(places.log, (Log{"beside", "wake"}));
  EXPECT_EQ(places.slept_until, places.time + 100);
  EXPECT_TRUE(doorbell().waiter_owns());
  doorbell().woke(other);
}

TEST_F(WaitAlone, WhoLeavesHandsTheDoorbellOn) {
  places.while_asleep.emplace_back([this] {
    with_lock([this] {
      doorbell().background_started();
      doorbell().park();
      wait_.signal(point_);
    });
  });
  wait_.wait(point_, kNever);
  EXPECT_EQ(places.log, (Log{"at doorbell", "wake owner", "wake background"}));
}

TEST_F(WaitWithCore, ItPollsForAMomentBeforeItSleeps) {
  put_background_at_doorbell();
  transport.on_progress = [this] { return point_.signalled = transport.progresses == 30; };
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_EQ(transport.attention, std::vector{Attention::Polling});
  EXPECT_EQ(places.log, Log{"wake background"});
  EXPECT_EQ(lock.acquisitions, 2) << "others had the lock once, after sixteen polls";
}

TEST_F(WaitWithCore, AMomentIsTwentyMicroseconds) {
  signal_in_sleep();
  const Instant start = places.time;
  places.while_asleep.emplace_front([&] { EXPECT_LE(places.time - start, 26'000); });
  wait_.wait(point_, kNever);
  EXPECT_GE(transport.progresses, 160); // sixteen polls for each of several looks at the clock
}

TEST_F(WaitWithCore, WhereDataComesByDescriptorsItLeavesTheRest) {
  transport.comes_by_descriptors = true;
  put_background_at_doorbell();
  int looks = 0;
  places.while_asleep.emplace_back([&] {
    with_lock([&] { wait_.signal(point_); });
    looks = transport.progresses;
  });
  EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
  EXPECT_EQ(transport.progresses, looks) << "it has its event, and does not look";
}

TEST_F(WaitWithCore, ElsewhereItLooksAtTheRest) {
  put_background_at_doorbell();
  int looks = 0;
  places.while_asleep.emplace_back([&] {
    with_lock([&] { wait_.signal(point_); });
    looks = transport.progresses;
  });
  wait_.wait(point_, kNever);
  EXPECT_EQ(transport.progresses, looks + 1);
}

// They run when this thread sleeps. Elsewhere one wait of 64 polls.
TEST_F(WaitAlone, WherePeersShareTheCoreNoWaitPolls) {
  put_background_at_doorbell();
  places.a_look_at_the_clock = 100'000; // so no row of polls counts as polling
  transport.peers_share_core = true;
  driver.look();
  for (int i = 0; i < 100; ++i) {
    point_.signalled = false;
    signal_in_sleep();
    EXPECT_EQ(wait_.wait(point_, kNever), WaitResult::Signalled);
    EXPECT_FALSE(driver.handover().is_polling());
  }
  EXPECT_TRUE(transport.attention.empty()) << "peers were told that it polls";
}

} // namespace
} // namespace datum::test
