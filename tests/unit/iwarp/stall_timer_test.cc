// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// StallTimer: ends a connection if an FPDU has begun and no more of its octets come.
#include "transport/iwarp/stall_timer.h"

#include <gtest/gtest.h>

namespace datum::iwarp::test {
namespace {

class Stall : public ::testing::Test {
 protected:
  // Calls on_time() at each deadline, at most `most` times. Returns which call lost the stream, or
  // 0.
  int checks_until_lost(int most, bool held = false) {
    for (int i = 1; i <= most; ++i)
      if (timer_.on_time(timer_.deadline(), false, held)) return i;
    return 0;
  }
  static constexpr Duration kLimit = 40 * kSecond;
  StallTimer timer_{kLimit};
};

TEST_F(Stall, BetweenFpdusNoTimerRuns) {
  timer_.on_octets(kSecond, true);
  EXPECT_EQ(timer_.deadline(), kNever);
}

// Rules: iwarp.E17
TEST_F(Stall, WhereNothingMoreComesTheStreamIsLost) {
  timer_.on_octets(0, false);
  EXPECT_EQ(timer_.deadline(), 10 * kSecond);
  // The limit allows four checks. The timer waits for a fifth, since checks that come due at once
  // count as one.
  EXPECT_EQ(checks_until_lost(10), 5);
}

// Rules: iwarp.E17
TEST_F(Stall, AnOctetStartsTheTimeAnew) {
  timer_.on_octets(0, false);
  EXPECT_EQ(checks_until_lost(4), 0);
  timer_.on_octets(41 * kSecond, false);
  EXPECT_EQ(checks_until_lost(10), 5);
}

TEST_F(Stall, NoTimerIsSetForEachPiece) {
  timer_.on_octets(0, false);
  timer_.on_octets(9 * kSecond, false);
  EXPECT_EQ(timer_.deadline(), 10 * kSecond);
  EXPECT_FALSE(timer_.on_time(10 * kSecond, false, false));
  EXPECT_EQ(timer_.deadline(), 20 * kSecond);
}

TEST_F(Stall, OnceMoreAndItRests) {
  timer_.on_octets(0, false);
  timer_.on_octets(1, true);
  EXPECT_EQ(timer_.deadline(), 10 * kSecond);
  EXPECT_FALSE(timer_.on_time(10 * kSecond, true, false));
  EXPECT_EQ(timer_.deadline(), kNever);
}

// Rules: iwarp.E17
TEST_F(Stall, WhileWeTakeNothingThePeerIsNotToBlame) {
  timer_.on_octets(0, false);
  EXPECT_EQ(checks_until_lost(100, true), 0);
  EXPECT_EQ(checks_until_lost(10), 5);
}

} // namespace
} // namespace datum::iwarp::test
