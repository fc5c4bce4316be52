// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/port/timer.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace datum {
namespace {

class Alarm final : public Timer {
 public:
  std::function<void(Instant)> then = [](Instant) {};
  int count = 0;

 private:
  void on_expired(Instant now) override {
    ++count;
    then(now);
  }
};

TEST(TimerQueue, NothingArmedIsNeverDue) {
  TimerQueue queue;
  EXPECT_EQ(queue.next(), kNever);
  EXPECT_FALSE(queue.run(1'000'000));
}

TEST(TimerQueue, ExpiresWhatIsDueInTheOrderOfDeadlines) {
  TimerQueue queue;
  Alarm alarms[3];
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) alarms[i].then = [&order, i](Instant) { order.push_back(i); };
  queue.arm(alarms[0], 30);
  queue.arm(alarms[1], 10);
  queue.arm(alarms[2], 20);
  EXPECT_EQ(queue.next(), 10);
  EXPECT_FALSE(queue.run(9));
  EXPECT_TRUE(queue.run(20));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_EQ(queue.next(), 30);
  EXPECT_TRUE(queue.run(1000));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(queue.next(), kNever);
}

TEST(TimerQueue, OneDeadlineExpiresInTheOrderOfArming) {
  TimerQueue queue;
  Alarm first;
  Alarm second;
  std::vector<int> order;
  first.then = [&](Instant) { order.push_back(1); };
  second.then = [&](Instant) { order.push_back(2); };
  queue.arm(first, 5);
  queue.arm(second, 5);
  queue.run(5);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(TimerQueue, ArmingAgainMovesTheDeadline) {
  TimerQueue queue;
  Alarm alarm;
  queue.arm(alarm, 10);
  queue.arm(alarm, 40);
  EXPECT_EQ(queue.next(), 40);
  EXPECT_FALSE(queue.run(39));
  EXPECT_TRUE(queue.run(40));
  EXPECT_FALSE(queue.run(1000));
  EXPECT_EQ(alarm.count, 1);
}

TEST(TimerQueue, ACancelledTimerDoesNotExpireAndCanBeArmedAgain) {
  TimerQueue queue;
  Alarm alarm;
  queue.arm(alarm, 10);
  alarm.cancel();
  alarm.cancel();
  EXPECT_EQ(queue.next(), kNever);
  EXPECT_FALSE(queue.run(10));
  queue.arm(alarm, 20);
  EXPECT_TRUE(queue.run(20));
  EXPECT_EQ(alarm.count, 1);
}

TEST(TimerQueue, ADestroyedTimerIsForgotten) {
  TimerQueue queue;
  {
    Alarm alarm;
    queue.arm(alarm, 10);
  }
  EXPECT_EQ(queue.next(), kNever);
}

TEST(TimerQueue, ATimerThatArmsItselfForNowExpiresOnceForEachRun) {
  TimerQueue queue;
  Alarm alarm;
  alarm.then = [&](Instant now) { queue.arm(alarm, now); };
  queue.arm(alarm, 10);
  EXPECT_TRUE(queue.run(10));
  EXPECT_EQ(alarm.count, 1);
  EXPECT_TRUE(queue.run(10));
  EXPECT_EQ(alarm.count, 2);
}

TEST(TimerQueue, ATimerMayCancelAndDestroyOthersThatAreDue) {
  TimerQueue queue;
  Alarm first;
  auto second = std::make_unique<Alarm>();
  Alarm third;
  first.then = [&](Instant) {
    second.reset();
    third.cancel();
  };
  queue.arm(first, 1);
  queue.arm(*second, 2);
  queue.arm(third, 3);
  EXPECT_TRUE(queue.run(10));
  EXPECT_EQ(third.count, 0);
  EXPECT_EQ(queue.next(), kNever);
}

} // namespace
} // namespace datum
