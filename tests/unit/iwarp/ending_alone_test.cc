// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ending: the end of either direction of a stream, when this side ends its own direction, and which
// error ended the connection.
#include "transport/iwarp/ending.h"

#include <gtest/gtest.h>

namespace datum::iwarp::test {
namespace {

class EndingAlone : public ::testing::Test {
 protected:
  static constexpr Duration kTimeout = 5 * kSecond;
  static constexpr Instant kStart = 100 * kSecond;
  Ending ending_{kTimeout};
};

TEST_F(EndingAlone, ThePeersEndComesOnce) {
  EXPECT_FALSE(ending_.peer_has_ended());
  EXPECT_TRUE(ending_.on_peer_end());
  EXPECT_TRUE(ending_.peer_has_ended());
  EXPECT_FALSE(ending_.on_peer_end());
}

// Rules: iwarp.E6
TEST_F(EndingAlone, LastOctetsHaveBoundedTime) {
  EXPECT_EQ(ending_.begin(kStart), kStart + kTimeout);
}

TEST_F(EndingAlone, OursNeedNotWaitUnlessItIsTold) {
  ending_.begin(kStart);
  EXPECT_FALSE(ending_.must_wait());
  EXPECT_EQ(ending_.next_look(), kNever);
}

// Rules: iwarp.E20
TEST_F(EndingAlone, OursWaitsForHalfTheTimeWithEverFewerLooks) {
  ending_.begin(kStart);
  Instant now = kStart;
  for (const int milliseconds : {1, 2, 4, 8, 16, 32, 32}) {
    ending_.wait_for_arrival(now);
    EXPECT_TRUE(ending_.must_wait());
    ASSERT_EQ(ending_.next_look(), now + milliseconds * kMillisecond);
    now = ending_.next_look();
  }
  ending_.wait_for_arrival(kStart + kTimeout / 2 - 1);
  EXPECT_TRUE(ending_.must_wait());
  ending_.wait_for_arrival(kStart + kTimeout / 2);
  EXPECT_FALSE(ending_.must_wait());
  EXPECT_EQ(ending_.next_look(), kNever);
}

TEST_F(EndingAlone, BehindThePeersEndOursNeedNotWait) {
  ending_.begin(kStart);
  ending_.wait_for_arrival(kStart);
  ending_.on_peer_end();
  EXPECT_FALSE(ending_.must_wait());
}

TEST_F(EndingAlone, OneThatNobodyComesBackForDoesNotWait) {
  ending_.begin(kStart);
  ending_.wait_for_arrival(kStart);
  ending_.wait_no_longer();
  EXPECT_FALSE(ending_.must_wait());
}

TEST_F(EndingAlone, OnceItWasSaidNobodyLooks) {
  ending_.begin(kStart);
  ending_.wait_for_arrival(kStart);
  EXPECT_FALSE(ending_.has_shut_down());
  ending_.on_shut_down();
  EXPECT_TRUE(ending_.has_shut_down());
  EXPECT_EQ(ending_.next_look(), kNever);
}

// Rules: iwarp.E19
TEST_F(EndingAlone, AnAbortSaysWhetherTheSocketIsReset) {
  EXPECT_FALSE(ending_.must_reset());
  ending_.abort(true);
  EXPECT_TRUE(ending_.must_reset());
  ending_.abort(false);
  EXPECT_FALSE(ending_.must_reset());
}

TEST_F(EndingAlone, TheCauseIsOurs) {
  EXPECT_FALSE(ending_.last_error());
  ending_.on_own_error(error::kCrc);
  EXPECT_EQ(ending_.last_error(), error::kCrc);
  EXPECT_TRUE(ending_.last_error_is_ours());
  EXPECT_FALSE(ending_.odd_terminate());
}

// Rules: iwarp.N2
TEST_F(EndingAlone, TheCauseIsThePeersWhateverSegmentBroughtIt) {
  UntaggedHeader header{.control = {.last = true, .opcode = Rdmap::Terminate},
                        .queue = kTerminateQueue,
                        .msn = kFirstMsn};
  ending_.on_peer_error(error::kTooLong, header);
  EXPECT_EQ(ending_.last_error(), error::kTooLong);
  EXPECT_FALSE(ending_.last_error_is_ours());
  EXPECT_FALSE(ending_.odd_terminate()) << "it may have that header";
  header.msn = 7;
  ending_.on_peer_error(error::kTooLong, header);
  ASSERT_TRUE(ending_.odd_terminate());
  EXPECT_EQ(ending_.odd_terminate()->msn, 7U);
}

} // namespace
} // namespace datum::iwarp::test
