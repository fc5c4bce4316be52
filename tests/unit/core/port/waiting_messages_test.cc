// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How long a message waits for its Recv, over any transport.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "../../iwarp/stand_in.h"
#include "core/port/waiting_messages.h"

namespace datum::test {
namespace {

using Waiting = WaitingMessages<int>;
using iwarp::test::StandIn;

// A core in strict mode. WaitingMessages asks the core whether a message may wait longer than a
// second.
std::unique_ptr<StandIn> in_strict_mode() {
  return std::make_unique<StandIn>();
}
std::unique_ptr<StandIn> in_default() {
  auto made = std::make_unique<StandIn>();
  made->waits_on = true;
  return made;
}

TEST(WaitingMessages, ComeInTheOrderInWhichTheyCame) {
  Waiting waiting{{}};
  const auto events = in_strict_mode();
  EXPECT_TRUE(waiting.empty());
  waiting.push(7, 0);
  waiting.push(8, 0);
  EXPECT_EQ(waiting.size(), 2U);
  EXPECT_EQ(waiting.front(), 7);
  EXPECT_EQ(waiting.back(), 8);
  waiting.pop(0, *events);
  EXPECT_EQ(waiting.front(), 8);
  waiting.pop(0, *events);
  EXPECT_TRUE(waiting.empty());
  EXPECT_EQ(waiting.deadline(), kNever);
}

TEST(WaitingMessages, WritesCountBehindThoseThatCameBefore) {
  Waiting waiting{{}};
  const auto events = in_strict_mode();
  EXPECT_FALSE(waiting.count_write());
  waiting.push(1, 0);
  waiting.push(2, 0);
  EXPECT_TRUE(waiting.count_write());
  waiting.push(3, 0);
  EXPECT_TRUE(waiting.count_write());
  EXPECT_TRUE(waiting.count_write());
  std::vector<std::uint32_t> writes;
  waiting.for_each([&](int, std::uint32_t count) { writes.push_back(count); });
  EXPECT_EQ(writes, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(waiting.pop(0, *events), 0U);
  EXPECT_EQ(waiting.pop(0, *events), 1U);
  EXPECT_EQ(waiting.pop(0, *events), 2U);
  EXPECT_FALSE(waiting.count_write());
}

// Rules: ERR.3
TEST(WaitingMessages, WaitASecondInStrictModeAndEachForItself) {
  Waiting waiting{{}};
  const auto events = in_strict_mode();
  waiting.push(1, 100);
  waiting.push(2, 200);
  EXPECT_EQ(waiting.deadline(), 100 + kSecond);
  EXPECT_FALSE(waiting.is_over(100 + kSecond - 1, *events));
  EXPECT_EQ(events->long_waits, 0U);
  waiting.pop(300, *events);
  EXPECT_EQ(waiting.deadline(), 300 + kSecond);
  EXPECT_FALSE(waiting.is_over(300 + kSecond - 1, *events));
  EXPECT_TRUE(waiting.is_over(300 + kSecond, *events));
  EXPECT_EQ(events->long_waits, 0U);
  EXPECT_FALSE(events->waited_at_most);
}

// Rules: ERR.3.default
TEST(WaitingMessages, WaitForEverInTheDefault) {
  Waiting waiting{{}};
  const auto events = in_default();
  waiting.push(1, 0);
  waiting.push(2, 0);
  EXPECT_FALSE(waiting.is_over(kSecond, *events));
  EXPECT_EQ(waiting.deadline(), kNever);
  EXPECT_FALSE(waiting.is_over(1'000'000 * kSecond, *events));
  waiting.pop(5 * kSecond, *events);
  EXPECT_EQ(waiting.deadline(), kNever);
  EXPECT_FALSE(waiting.is_over(1'000'000 * kSecond, *events));
}

// Rules: ERR.3.default
TEST(WaitingMessages, CountEachThatHasWaitedForASecond) {
  Waiting waiting{{}};
  const auto events = in_default();
  for (int i = 0; i < 20; ++i) waiting.push(7, i < 19 ? 0 : kSecond / 2);
  EXPECT_FALSE(waiting.is_over(kSecond - 1, *events));
  EXPECT_EQ(events->long_waits, 0U);
  EXPECT_FALSE(waiting.is_over(kSecond, *events));
  EXPECT_EQ(events->long_waits, 19U);
  EXPECT_EQ(waiting.deadline(), 3 * kSecond / 2);
  EXPECT_FALSE(waiting.is_over(3 * kSecond / 2, *events));
  EXPECT_EQ(events->long_waits, 20U);
  // This message stands behind messages that have been counted.
  waiting.push(8, 2 * kSecond);
  EXPECT_EQ(waiting.deadline(), 3 * kSecond);
  for (int i = 0; i < 20; ++i) waiting.pop(2 * kSecond, *events);
  EXPECT_EQ(events->long_waits, 20U) << "once each";
  waiting.pop(3 * kSecond - 1, *events);
  EXPECT_EQ(events->long_waits, 20U);
  EXPECT_EQ(waiting.deadline(), kNever);
}

// Each message becomes the first of the queue before its second is over. In strict mode none of the
// waits would break the connection.
// Rules: ERR.3.default
TEST(WaitingMessages, CountWhenTheirRecvComesIfNotBefore) {
  Waiting waiting{{}};
  const auto events = in_default();
  for (int i = 0; i < 3; ++i) waiting.push(7, 0);
  waiting.pop(kSecond - 1, *events);
  EXPECT_EQ(events->long_waits, 0U);
  waiting.pop(kSecond, *events);
  EXPECT_EQ(events->long_waits, 1U);
  EXPECT_EQ(waiting.deadline(), 2 * kSecond);
  EXPECT_FALSE(waiting.is_over(2 * kSecond, *events));
  EXPECT_EQ(events->long_waits, 2U);
  waiting.pop(3 * kSecond, *events);
  EXPECT_EQ(events->long_waits, 2U);
}

// Rules: ERR.3.default
TEST(WaitingMessages, CountOnceWhateverTheirPieces) {
  Waiting waiting{{}};
  const auto events = in_default();
  for (int i = 0; i < 6; ++i) waiting.push(7, 0, i % 3 == 0);
  for (int i = 0; i < 3; ++i) waiting.pop(kSecond, *events);
  EXPECT_EQ(events->long_waits, 1U);
  EXPECT_FALSE(waiting.is_over(2 * kSecond, *events));
  EXPECT_EQ(events->long_waits, 2U);
}

// Rules: ERR.3 ERR.3.default
TEST(WaitingMessages, WaitAsLongAsIsSetInBothModes) {
  for (const bool lenient : {false, true}) {
    Waiting waiting{{3 * kSecond}};
    StandIn events;
    events.waits_on = lenient;
    waiting.push(1, 0);
    EXPECT_EQ(waiting.deadline(), 3 * kSecond);
    EXPECT_FALSE(waiting.is_over(3 * kSecond - 1, events));
    EXPECT_TRUE(waiting.may_wait(events));
    EXPECT_FALSE(events.waited_at_most);
    EXPECT_TRUE(waiting.is_over(3 * kSecond, events));
    EXPECT_EQ(events.waited_at_most, 3 * kSecond);
    EXPECT_EQ(events.long_waits, 0U);
  }
  StandIn events;
  EXPECT_FALSE(Waiting{{Duration{0}}}.may_wait(events));
  EXPECT_EQ(events.waited_at_most, Duration{0});
}

// Rules: tcp.O4.default
TEST(WaitingMessages, WaitASecondMoreBehindAPeerThatHasEnded) {
  Waiting waiting{{}};
  const auto events = in_default();
  waiting.push(1, 0);
  waiting.push(2, 0);
  EXPECT_FALSE(waiting.is_over(kSecond, *events));
  waiting.must_end(10 * kSecond);
  waiting.must_end(10 * kSecond + 5); // a repeated call
  EXPECT_EQ(waiting.deadline(), 11 * kSecond);
  EXPECT_FALSE(waiting.is_over(11 * kSecond - 1, *events));
  waiting.pop(11 * kSecond - 1, *events);
  EXPECT_EQ(waiting.deadline(), 12 * kSecond - 1);
  EXPECT_TRUE(waiting.is_over(12 * kSecond - 1, *events));
  EXPECT_EQ(events->long_waits, 2U);
}

// Rules: tcp.O4
TEST(WaitingMessages, WaitNoLongerBehindAPeerThatEndsWithinTheirTime) {
  Waiting unset{{}};
  const auto events = in_default();
  unset.push(1, 0);
  unset.must_end(kSecond / 2);
  EXPECT_EQ(unset.deadline(), kSecond);
  EXPECT_TRUE(unset.is_over(kSecond, *events));
  Waiting set{{3 * kSecond}};
  set.push(1, 0);
  set.must_end(2 * kSecond);
  EXPECT_EQ(set.deadline(), 3 * kSecond);
  Waiting none{{}};
  none.must_end(0);
  EXPECT_EQ(none.deadline(), kNever);
  none.push(1, 0);
  EXPECT_TRUE(none.is_over(kSecond, *events));
  EXPECT_EQ(events->long_waits, 0U);
}

} // namespace
} // namespace datum::test
