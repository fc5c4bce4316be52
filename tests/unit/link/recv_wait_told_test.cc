// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the log says of a wait for a Recv that has ended. Identical lines are written at most once a
// second and lines about peers have a budget, so each test has a process of its own.
#include "pair.h"

namespace datum::test {
namespace {

class RecvWaitTold : public ::testing::TestWithParam<bool> {
 protected:
  RecvWaitTold() { pair.connect(); }

  Pair pair{GetParam(), nullptr, true};
};

// Rules: ERR.3
TEST_P(RecvWaitTold, TheRuleIsNamedThatBreaksTheConnection) {
  ASSERT_TRUE(pair.active.send(0, 100, 1).ok());
  pair.world.settle();
  testing::internal::CaptureStderr();
  pair.world.advance(kSecond);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("since DATUM_STRICT=on: ERR.3: "),
            std::string::npos);
}

// Rules: ERR.3
TEST_P(RecvWaitTold, WhatIsSetIsToldWhenItIsOver) {
  testing::internal::CaptureStderr();
  pair.passive.ep.on_wait_over(1500 * kMillisecond);
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find(": a message has found no Recv, and DATUM_RNR_TIMEOUT=1500 ms is over: "),
            std::string::npos);
  EXPECT_EQ(line.find("STRICT"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(RingOnlyAndDirect, RecvWaitTold, testing::Bool(),
                         [](const auto& each) { return each.param ? "direct" : "ring"; });

} // namespace
} // namespace datum::test
