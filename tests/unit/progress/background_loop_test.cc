// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The background thread, one sleep after the other, with the actions of other threads in between.
#include "progress/background_loop.h"

#include "bare_parts.h"

namespace datum::test {
namespace {

class LoopAlone : public ::testing::Test, protected BareParts {
 protected:
  explicit LoopAlone(bool core_to_spare = true) : BareParts(core_to_spare) {
    loop_.announce();
    lock.relinquish();
  }
  // Other threads do this in the next sleep.
  void then(std::function<void()> others) { places.while_asleep.push_back(std::move(others)); }
  void then_pass() {
    then([this] { places.time = places.slept_until; });
  }
  void then_stop() {
    then([this] { loop_.request_stop(); });
  }
  void poll(int times) {
    for (int i = 0; i < times; ++i) driver.poll();
  }
  // The background thread backs off, and another thread polls `times` times meanwhile.
  void then_poll(int times) {
    then([this, times] {
      places.time = places.slept_until;
      with_lock([&] { poll(times); });
    });
  }
  // Another thread polls until backoffs are longer than a tick.
  void then_poll_for_long() {
    for (int i = 0; i < 20; ++i) then_poll(64);
  }
  Duration slept() const { return places.slept_until - places.time; }
  Doorbell::Background background() { return doorbell().background(); }

  Polls polls_{*this};
  BackgroundLoop loop_{lock, places, driver, polls_};
};
// The background thread polls for a moment before it sleeps.
class LoopThatLingers : public LoopAlone {
 protected:
  // So many sleeps pass before the first try.
  static constexpr int kSleeps = 64;
  explicit LoopThatLingers(bool core_to_spare = true) : LoopAlone(core_to_spare) {
    then_pass(); // the backoff
    for (int i = 0; i < kSleeps - 1; ++i) then([] {});
    places.a_look_at_the_clock = 500;
  }
  // Called in each turn: notes when the thread has begun to linger.
  void note_begin() {
    if (driver.handover().is_polling() && began_ == 0) began_ = places.time;
  }
  // True: the moment is over, and the thread gives up the lock for the last time.
  bool is_ending() const { return began_ != 0 && places.time - began_ >= waiting::kLinger; }
  // As ProgressEngine::wake().
  void wake() {
    if (driver.pending().want()) driver.handover().wake();
  }
  Instant began_ = 0;
};
class LoopThatLingersWithoutCore : public LoopThatLingers {
 protected:
  LoopThatLingersWithoutCore() : LoopThatLingers(false) {}
};
class LoopWithoutCore : public LoopAlone {
 protected:
  LoopWithoutCore() : LoopAlone(false) {}
};

TEST_F(LoopAlone, OneThatIsAnnouncedListens) {
  EXPECT_EQ(background(), Doorbell::Background::Awake);
  EXPECT_EQ(transport.attention, std::vector{Attention::Asleep});
  loop_.retract();
  EXPECT_EQ(background(), Doorbell::Background::Absent);
}

TEST_F(LoopAlone, WhereNobodyPollsItTakesTheDoorbellAfterABackoff) {
  then([this] {
    EXPECT_EQ(background(), Doorbell::Background::BackingOff);
    EXPECT_EQ(slept(), waiting::kTick);
    places.time = places.slept_until;
  });
  then([this] {
    EXPECT_EQ(background(), Doorbell::Background::AtDoorbell);
    EXPECT_EQ(places.slept_until, kNever);
    EXPECT_EQ(transport.progresses, 1);
    loop_.request_stop();
  });
  loop_.run();
  EXPECT_EQ(places.log, (Log{"background", "background at doorbell", "wake background"}));
  EXPECT_EQ(background(), Doorbell::Background::Absent);
  EXPECT_EQ(places.background_wake_ups, 0) << "the wake-up was taken back";
  EXPECT_FALSE(lock.held());
}

TEST_F(LoopAlone, AtTheDoorbellItSleepsNoLongerThanUntilTheNextTurn) {
  transport.watch_at = 77 * kSecond;
  then_pass();
  then_stop();
  loop_.run();
  EXPECT_EQ(places.slept_until, 77 * kSecond);
}

TEST_F(LoopAlone, WhatTheDoorbellRangForIsLookedAt) {
  then_pass();
  then([this] { places.doorbell_rings = true; });
  then_stop();
  loop_.run();
  EXPECT_EQ(places.looks, 2) << "after each sleep at the doorbell";
  EXPECT_EQ(lock.times_let_in, 1) << "between two turns";
}

TEST_F(LoopAlone, WhereAWaiterOwnsTheDoorbellItIsParked) {
  Sleeper waiter;
  then([&] {
    with_lock([&] { driver.handover().carry_out(doorbell().claim(waiter)); });
    places.time = places.slept_until;
  });
  then([this] {
    EXPECT_EQ(background(), Doorbell::Background::Parked);
    EXPECT_EQ(places.slept_until, kNever);
    loop_.request_stop();
  });
  loop_.run();
  EXPECT_EQ(places.log, (Log{"background", "background", "wake background"}));
  EXPECT_EQ(places.looks, 0) << "descriptors are the waiter's";
  doorbell().woke(waiter);
}

// Rules: PROGRESS.8
TEST_F(LoopAlone, WhileAThreadPollsItNapsOnWithoutTheLock) {
  int before = 0;
  then([&] {
    with_lock([&] { poll(8); });
    places.time = places.slept_until;
    before = lock.acquisitions;
  });
  for (int i = 0; i < 3; ++i)
    then([&] {
      EXPECT_EQ(lock.acquisitions, before);
      with_lock([&] { poll(20); });
      before = lock.acquisitions;
      places.time = places.slept_until;
    });
  then_pass(); // no thread has polled in this sleep
  then_stop();
  loop_.run();
  EXPECT_EQ(places.log.size(), 7U) << "five backoffs, a sleep, and the wake-up that ended it";
}

// Rules: PROGRESS.8
TEST_F(LoopAlone, SevenPollsAreNoPoller) {
  then_poll(7);
  then_stop();
  loop_.run();
  EXPECT_EQ(places.log, (Log{"background", "background at doorbell", "wake background"}));
}

TEST_F(LoopAlone, TheEndOfPollingIsToldToPeers) {
  then([this] {
    with_lock([this] {
      driver.start_polling();
      poll(8);
    });
    places.time = places.slept_until;
  });
  then_pass();
  then([this] {
    EXPECT_EQ(transport.attention.back(), Attention::Asleep);
    EXPECT_FALSE(driver.handover().is_polling());
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopAlone, AsItEndsPeersAreToldToRing) {
  then([this] {
    with_lock([this] { driver.start_polling(); });
    loop_.request_stop();
    EXPECT_EQ(places.background_wake_ups, 1) << "a backoff is ended, too";
  });
  loop_.run();
  EXPECT_EQ(places.background_wake_ups, 0);
  EXPECT_FALSE(driver.handover().is_polling());
  EXPECT_EQ(transport.attention.back(), Attention::Asleep);
}

TEST_F(LoopAlone, WhatIsWantedEndsABackoff) {
  then([this] {
    with_lock([this] {
      poll(16); // a poller that has not polled for long
      driver.pending().want();
    });
  });
  then([this] {
    EXPECT_FALSE(driver.pending().is_wanted());
    EXPECT_EQ(places.looks, 1);
    EXPECT_EQ(background(), Doorbell::Background::AtDoorbell);
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopAlone, WhatIsWantedFromTheBeginningIsLookedAtWithoutABackoff) {
  driver.pending().want();
  then_stop();
  loop_.run();
  EXPECT_EQ(places.log[0], "background at doorbell");
  EXPECT_EQ(transport.progresses, 2);
}

TEST_F(LoopAlone, AsLongAsThereIsWorkItDoesNotSleep) {
  int left = 3;
  transport.on_progress = [&] { return left-- > 0; };
  then_pass();
  then([&] {
    EXPECT_EQ(transport.progresses, 4);
    EXPECT_EQ(lock.times_let_in, 3) << "others have the lock in between";
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopAlone, WhatWasDoneMeanwhileDoesNot) {
  then([this] { places.time += 1000; }); // a prompt wake for work that a poll has done since
  then([this] {
    EXPECT_EQ(slept(), waiting::kTick - 1000) << "the same backoff";
    places.time = places.slept_until;
  });
  then_stop();
  loop_.run();
}

TEST_F(LoopAlone, APollerThatHasPolledForLongLooksByItself) {
  then_poll_for_long();
  const std::function<void()> wake = [this] {
    with_lock([this] {
      poll(64);
      driver.pending().want();
    });
    places.time += 1000;
  };
  then(wake);
  then([this] {
    EXPECT_TRUE(driver.pending().is_wanted()) << "the backoff has gone on";
    with_lock([this] { driver.pending().make_urgent(); });
  });
  then([this] {
    EXPECT_FALSE(driver.pending().is_wanted()) << "what is urgent does not wait for a poll";
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopAlone, ADoorbellInABackoffIsLeftToAPollThatBegins) {
  then_poll_for_long();
  places.while_aside = [this] { with_lock([this] { poll(1); }); };
  int before = 0;
  then([&] {
    places.doorbell_rings = true;
    before = places.looks;
  });
  then([&] {
    EXPECT_EQ(slept(), waiting::kTick) << "to see what follows";
    EXPECT_EQ(places.looks, before);
    places.time = places.slept_until;
  });
  then_stop();
  loop_.run();
  EXPECT_EQ(places.log[20], "background at doorbell") << "of a long backoff";
  EXPECT_EQ(places.log[21], "background");
}

TEST_F(LoopAlone, ADoorbellInABackoffIsAnsweredIfNobodyPolls) {
  then_poll_for_long();
  int before = 0;
  then([&] {
    places.doorbell_rings = true;
    before = places.looks;
  });
  then([&] {
    EXPECT_EQ(places.looks, before + 1);
    loop_.request_stop();
  });
  loop_.run();
}

// The peer runs between the polls, so one poll in a backoff shows that a thread polls.
TEST_F(LoopWithoutCore, WherePeersShareTheCoreAFewPollsKeepItBackingOff) {
  transport.peers_share_core = true;
  with_lock([&] { driver.look(); });
  for (int i = 0; i < 5; ++i)
    then([this] {
      places.time = places.slept_until;
      with_lock([this] { poll(1); });
    });
  then([this] {
    EXPECT_EQ(background(), Doorbell::Background::BackingOff);
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopWithoutCore, ADoorbellInABackoffIsAnsweredAtOnce) {
  then_poll_for_long();
  places.while_aside = [] { FAIL() << "that would give a program that spins a whole time slice"; };
  int before = 0;
  then([&] {
    places.doorbell_rings = true;
    before = places.looks;
  });
  then([&] {
    EXPECT_EQ(places.looks, before + 1);
    loop_.request_stop();
  });
  loop_.run();
}

// Rules: PROGRESS.8
TEST_F(LoopThatLingers, WhatComesWithinTheMomentIsTakenWithoutASleep) {
  int come = 0;
  int polls = 0;
  transport.on_progress = [&] { // a message with each 30th poll, a few times
    return driver.handover().is_polling() && ++polls % 30 == 0 && come < 5 && ++come != 0;
  };
  then([&] {
    EXPECT_EQ(come, 5);
    EXPECT_EQ(places.log.size(), kSleeps + 1U);
    EXPECT_EQ(transport.attention,
              (std::vector{Attention::Asleep, Attention::Polling, Attention::Asleep}))
        << "peers are told once that a thread polls, and once that none does";
    come = 0;
  });
  then([&] {
    EXPECT_EQ(come, 5) << "since that has paid, it is done before the next sleep, too";
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopThatLingers, AMomentInVainIsShortAndIsNotRepeated) {
  transport.on_progress = [&] { return note_begin(), false; };
  then([&] {
    ASSERT_NE(began_, 0);
    EXPECT_LE(places.time - began_, 2 * waiting::kLinger);
    EXPECT_GE(places.time - began_, waiting::kLinger);
    began_ = 0;
  });
  then([&] {
    EXPECT_EQ(began_, 0);
    loop_.request_stop();
  });
  loop_.run();
}

// They run when this thread sleeps, and not before.
TEST_F(LoopThatLingersWithoutCore, WherePeersShareTheCoreItSleepsAtOnce) {
  transport.peers_share_core = true;
  transport.on_progress = [&] { return note_begin(), false; };
  for (int i = 0; i < kSleeps; ++i) then([] {});
  then([&] {
    EXPECT_EQ(began_, 0);
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopThatLingers, WhatWasPublishedAsItEndsIsLookedAt) {
  int looks = 0;
  transport.on_progress = [&] {
    if (driver.handover().is_polling()) transport.look_again = true;
    ++looks;
    return false;
  };
  then([&] {
    EXPECT_FALSE(transport.look_again);
    EXPECT_EQ(places.log.size(), kSleeps + 1U) << "no sleep in between";
    loop_.request_stop();
  });
  loop_.run();
}

// Two threads that poll side by side contend for the lock.
TEST_F(LoopThatLingers, ItEndsAsSoonAsAnotherThreadPolls) {
  bool polled = false;
  int before = 0;
  lock.on_free = [&] {
    if (!driver.handover().is_polling() || std::exchange(polled, true)) return;
    with_lock([this] { poll(1); });
    before = transport.progresses;
  };
  then([&] {
    EXPECT_NE(before, 0);
    EXPECT_EQ(transport.progresses, before + 1) << "one more turn before the sleep";
    EXPECT_EQ(background(), Doorbell::Background::AtDoorbell) << "one call is no poller";
    lock.on_free = nullptr;
    loop_.request_stop();
  });
  loop_.run();
}

// A consumer's call gets the lock as the thread gives it up for the last time. No thread is woken
// for the work that the call leaves behind, since this thread is awake.
// Rules: PROGRESS.5
TEST_F(LoopThatLingers, WorkThatACallLeavesAsItEndsIsDoneBeforeTheSleep) {
  bool left = false;
  int done = 0;
  transport.on_progress = [&] {
    note_begin();
    if (std::exchange(left, false)) ++done;
    return false;
  };
  bool called = false;
  lock.on_free = [&] {
    if (!is_ending() || std::exchange(called, true)) return;
    with_lock([&] {
      left = true;
      wake();
    });
  };
  then([&] {
    EXPECT_TRUE(called);
    EXPECT_EQ(done, 1);
    EXPECT_FALSE(driver.pending().is_wanted());
    const int before = places.background_wake_ups;
    with_lock([this] { wake(); });
    EXPECT_EQ(places.background_wake_ups, before + 1) << "and later wake-ups are not lost";
    lock.on_free = nullptr;
    loop_.request_stop();
  });
  loop_.run();
}

// The thread is awake as the request comes, so request_stop() does not wake it.
TEST_F(LoopThatLingers, AStopRequestAsItEndsIsNotLost) {
  transport.on_progress = [&] { return note_begin(), false; };
  lock.on_free = [&] {
    if (!is_ending()) return;
    lock.on_free = nullptr;
    loop_.request_stop();
  };
  loop_.run(); // there is no further sleep
  EXPECT_EQ(background(), Doorbell::Background::Absent);
}

TEST_F(LoopThatLingers, AfterAnotherThreadHasPolledItSleepsOnceWithoutPolling) {
  int polls = 0;
  int come = 0;
  transport.on_progress = [&] { // polling pays, a few times
    return driver.handover().is_polling() && ++polls % 10 == 0 && come < 3 && ++come != 0;
  };
  bool polled = false;
  lock.on_free = [&] {
    if (come != 3 || std::exchange(polled, true)) return;
    with_lock([this] { poll(1); });
  };
  int before = 0;
  then([&] {
    EXPECT_TRUE(polled);
    before = polls;
  });
  then([&] {
    EXPECT_GT(polls, before) << "before the next sleep it polls again";
    lock.on_free = nullptr;
    loop_.request_stop();
  });
  loop_.run();
}

// An agent may compute for long, or dequeue itself.
TEST_F(LoopThatLingers, AgentsAreCalledWhenPeersKnowThatNoThreadPolls) {
  int polls = 0;
  bool due = false;
  transport.on_progress = [&] {
    return driver.handover().is_polling() && ++polls == 10 && (lock.put_off = due = true);
  };
  bool called = false;
  lock.on_free = [&] {
    lock.put_off = false;
    if (!std::exchange(due, false)) return;
    called = true;
    EXPECT_FALSE(driver.handover().is_polling());
    with_lock([this] { poll(1); });
  };
  then([&] {
    EXPECT_TRUE(called);
    EXPECT_EQ(background(), Doorbell::Background::AtDoorbell);
    lock.on_free = nullptr;
    loop_.request_stop();
  });
  loop_.run();
}

TEST_F(LoopThatLingers, OtherThreadsGetTheLockAfterEachTurnWithWork) {
  int in_a_row = 0;
  int total = 0;
  transport.on_progress = [&] {
    if (!driver.handover().is_polling() || total == 100) return false;
    EXPECT_EQ(++in_a_row, 1);
    return ++total != 0;
  };
  lock.on_free = [&] { in_a_row = 0; };
  then([&] {
    EXPECT_EQ(total, 100);
    lock.on_free = nullptr;
    loop_.request_stop();
  });
  loop_.run();
}

// The polls of a moment before do not make a poller of a consumer that dequeues once.
TEST_F(LoopThatLingers, ADequeueAfterItDoesNotCountAsPolling) {
  for (const bool by_descriptors : {false, true}) {
    transport.comes_by_descriptors = by_descriptors;
    for (int i = 0; i < 4096; ++i) then([] {});
    then([&] {
      places.time += 10'000;
      with_lock([this] { poll(1); });
      EXPECT_FALSE(driver.handover().is_polling());
    });
  }
  then_stop();
  loop_.run();
}

TEST_F(LoopThatLingers, AWaiterTakesTheDoorbellFromIt) {
  Sleeper waiter;
  lock.on_free = [&] {
    if (!driver.handover().is_polling() || doorbell().waiter_owns()) return;
    with_lock([&] {
      driver.stop_polling();
      driver.handover().carry_out(doorbell().claim(waiter));
    });
  };
  then([&] {
    EXPECT_EQ(background(), Doorbell::Background::Parked);
    lock.on_free = nullptr;
    loop_.request_stop();
  });
  loop_.run();
  doorbell().woke(waiter);
}

TEST_F(LoopThatLingers, ItEndsAtOnceWhenTheAdapterCloses) {
  transport.on_progress = [this] { return driver.handover().is_polling(); }; // work without end
  lock.on_free = [&] {
    if (driver.handover().is_polling()) lock.on_free = nullptr, loop_.request_stop();
  };
  loop_.run();
  EXPECT_EQ(background(), Doorbell::Background::Absent);
  EXPECT_EQ(transport.attention.back(), Attention::Asleep);
}

} // namespace
} // namespace datum::test
