// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The log line about a wait for a Recv that has ended. Identical lines are written at most once a
// second, so each line is tested once, with a ring alone.
#include "pair.h"

namespace datum::test {
namespace {

class RecvWaitTold : public ::testing::Test {
 protected:
  RecvWaitTold() { pair.connect(); }

  Pair pair{false, nullptr, true};
};

// Rules: ERR.3
TEST_F(RecvWaitTold, TheRuleIsNamedThatBreaksTheConnection) {
  ASSERT_TRUE(pair.active.send(0, 100, 1).ok());
  pair.world.settle();
  testing::internal::CaptureStderr();
  pair.world.advance(kSecond);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("since DATUM_STRICT=on: ERR.3: "),
            std::string::npos);
}

// Rules: ERR.3
TEST_F(RecvWaitTold, WhatIsSetIsToldWhenItIsOver) {
  testing::internal::CaptureStderr();
  pair.passive.ep.on_wait_over(1500 * kMillisecond);
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find(": a message has found no Recv, and DATUM_RNR_TIMEOUT=1500 ms is over: "),
            std::string::npos);
  EXPECT_EQ(line.find("STRICT"), std::string::npos);
}

} // namespace
} // namespace datum::test
