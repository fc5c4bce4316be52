// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/backoff_plan.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

// Other threads poll all the time, 30 times in each microsecond. Their last reading of the clock is
// always recent.
class BusyOthers {
 public:
  // Backs off as planned until `end`.
  void back_off_until(BackoffPlan& plan, Instant end) {
    while (time < end) {
      plan.begin(seen(), by_descriptors, false);
      time += plan.length();
      EXPECT_TRUE(plan.others_are_busy(seen(), time));
      ++backoffs;
    }
  }
  Activity seen() const {
    return {
        .polls = static_cast<std::uint32_t>(time / 33), .waits = waits, .last_timed_poll = time};
  }
  Instant time = 0;
  std::uint32_t waits = 0;
  int backoffs = 0;
  bool by_descriptors = false;
};

TEST(BackoffPlan, TheFirstBackoffIsShortAndDeaf) {
  const BackoffPlan plan;
  EXPECT_EQ(plan.length(), 75'000);
  EXPECT_FALSE(plan.at_doorbell());
}

TEST(BackoffPlan, ABackoffTakesAnEighthOfTheTimeForWhichOthersPolled) {
  BackoffPlan plan;
  BusyOthers others;
  others.back_off_until(plan, 8'000'000);
  EXPECT_GE(plan.length(), 1'000'000);
  EXPECT_LE(plan.length(), 1'150'000);
  EXPECT_TRUE(plan.at_doorbell());
}

TEST(BackoffPlan, NoBackoffTakesLongerThan4ms) {
  BackoffPlan plan;
  BusyOthers others;
  others.back_off_until(plan, 10'000'000'000);
  EXPECT_EQ(plan.length(), 4'000'000);
}

// If backoffs ended with the doorbell, each arrival would wake the background thread, although a
// poller takes the arrival.
TEST(BackoffPlan, WhereDataComesByDescriptorsBackoffsAreDeafAndTakeAMillisecondAtMost) {
  BackoffPlan plan;
  BusyOthers others;
  others.back_off_until(plan, 16'000'000);
  EXPECT_TRUE(plan.at_doorbell());
  others.by_descriptors = true;
  others.back_off_until(plan, 32'000'000);
  EXPECT_FALSE(plan.at_doorbell());
  EXPECT_EQ(plan.length(), 1'000'000);
}

TEST(BackoffPlan, AmongWaitsBackoffsStayDeafAndTakeAMillisecondAtMost) {
  BackoffPlan plan;
  plan.begin({}, false, false);
  Instant time = 0;
  for (std::uint32_t waits = 1; waits < 1000; ++waits) {
    time += plan.length();
    const Activity now{.polls = waits * 100, .waits = waits, .last_timed_poll = time};
    EXPECT_TRUE(plan.others_are_busy(now, time));
    EXPECT_FALSE(plan.at_doorbell());
    plan.begin(now, false, false);
  }
  EXPECT_EQ(plan.length(), 1'000'000);
}

TEST(BackoffPlan, SevenPollsInABackoffAreNobody) {
  BackoffPlan plan;
  plan.begin({.polls = 100, .waits = 0, .last_timed_poll = 0}, false, false);
  EXPECT_FALSE(plan.others_are_busy({.polls = 107, .waits = 0, .last_timed_poll = 70'000}, 75'000));
  plan.begin({.polls = 100, .waits = 0, .last_timed_poll = 0}, false, false);
  EXPECT_TRUE(plan.others_are_busy({.polls = 108, .waits = 0, .last_timed_poll = 70'000}, 75'000));
}

// One poll of sockets may read and write for longer than a backoff. If such a poll counted as the
// end of polling, the background thread would contend for the lock and the sockets.
TEST(BackoffPlan, WhereDataComesByDescriptorsOnePollInABackoffIsSomebody) {
  BackoffPlan plan;
  plan.begin({.polls = 100, .waits = 0, .last_timed_poll = 0}, true, false);
  EXPECT_TRUE(plan.others_are_busy({.polls = 101, .waits = 0, .last_timed_poll = 70'000}, 75'000));
  plan.begin({.polls = 101, .waits = 0, .last_timed_poll = 70'000}, true, false);
  EXPECT_FALSE(
      plan.others_are_busy({.polls = 101, .waits = 0, .last_timed_poll = 70'000}, 150'000));
}

// The peer that shares the core runs between two polls, and perhaps other threads do.
TEST(BackoffPlan, WherePeersShareTheCoreAPollInTheLastTickIsSomebody) {
  const Activity once{.polls = 101, .waits = 0, .last_timed_poll = 10'000};
  for (const bool shares_core : {false, true}) {
    BackoffPlan plan;
    plan.begin({.polls = 100, .waits = 0, .last_timed_poll = 0}, false, shares_core);
    EXPECT_EQ(plan.others_are_busy(once, 75'000), shares_core);
    EXPECT_EQ(plan.others_are_busy(once, 85'000), shares_core);
    EXPECT_FALSE(plan.others_are_busy(once, 86'000));
  }
}

// A long copy may take longer than a backoff, and the copying thread still counts as a poller.
// Rules: PROGRESS.8
TEST(BackoffPlan, SomebodyInTheMiddleOfACopyIsSomebody) {
  BackoffPlan plan;
  const Activity before{.polls = 100, .waits = 0, .last_timed_poll = 0};
  Activity copying = before;
  copying.copying = true;
  plan.begin(before, false, false);
  EXPECT_TRUE(plan.others_are_busy(copying, 75'000));
  plan.begin(copying, false, false);
  EXPECT_FALSE(plan.others_are_busy(before, 150'000));
}

TEST(BackoffPlan, CountersMayWrap) {
  BackoffPlan plan;
  plan.begin({.polls = 0xfffffffc, .waits = 0, .last_timed_poll = 0}, false, false);
  EXPECT_TRUE(plan.others_are_busy({.polls = 4, .waits = 0, .last_timed_poll = 70'000}, 75'000));
}

TEST(BackoffPlan, PollsThatEndedDuringALongBackoffAreFoundOutByAShortOne) {
  BackoffPlan plan;
  BusyOthers others;
  others.back_off_until(plan, 40'000'000);
  plan.begin(others.seen(), false, false);
  Activity last = others.seen();
  last.polls += 1000;
  last.last_timed_poll += 30'000;
  EXPECT_TRUE(plan.others_are_busy(last, others.time + 4'000'000));
  EXPECT_EQ(plan.length(), 75'000);
  EXPECT_FALSE(plan.at_doorbell());
  plan.begin(last, false, false);
  EXPECT_FALSE(plan.others_are_busy(last, others.time + 4'075'000));
}

TEST(BackoffPlan, AfterADoorbellTheNextBackoffIsShortAndThenAsLongAsBefore) {
  BackoffPlan plan;
  BusyOthers others;
  others.back_off_until(plan, 40'000'000);
  plan.interrupted();
  EXPECT_EQ(plan.length(), 75'000);
  EXPECT_FALSE(plan.at_doorbell());
  others.back_off_until(plan, others.time + 1);
  EXPECT_EQ(plan.length(), 4'000'000);
  EXPECT_TRUE(plan.at_doorbell());
}

TEST(BackoffPlan, WhenOthersHaveStoppedItBeginsAnew) {
  BackoffPlan plan;
  BusyOthers others;
  others.back_off_until(plan, 40'000'000);
  plan.begin(others.seen(), false, false);
  EXPECT_FALSE(plan.others_are_busy(others.seen(), others.time + plan.length()));
  EXPECT_EQ(plan.length(), 75'000);
  others.back_off_until(plan, others.time + 600'000);
  EXPECT_LE(plan.length(), 100'000);
}

} // namespace
} // namespace datum
