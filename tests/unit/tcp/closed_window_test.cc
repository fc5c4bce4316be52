// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ClosedWindow: a peer that takes nothing is alive while its host answers.
#include <gtest/gtest.h>

#include "transport/tcp/closed_window.h"

namespace datum::test {
namespace {

constexpr Duration kDeadAfter = 8 * kSecond;

class OfAClosedWindow : public testing::Test {
 protected:
  // One look at `now`. Since the look before, `out` segments have left and `in` segments have come.
  bool is_dead_at(Instant now, std::uint32_t out, std::uint32_t in) {
    state_.segments_out += out;
    state_.segments_in += in;
    return window_.is_dead(state_, now);
  }
  ClosedWindow window_{kDeadAfter};
  TcpState state_;
};

// Rules: ENV.9
TEST_F(OfAClosedWindow, LooksAreFourInTheTimeAndNotTooMany) {
  EXPECT_EQ(window_.between_looks(), 2 * kSecond);
  EXPECT_EQ(ClosedWindow(kSecond).between_looks(), kSecond / 4);
}

// Rules: ENV.9
TEST_F(OfAClosedWindow, WhoAnswersLivesForEver) {
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(is_dead_at(i * kSecond, 1, 1));
}

// Rules: ENV.9
TEST_F(OfAClosedWindow, SilenceEndsItWhenTheTimeIsOver) {
  EXPECT_FALSE(is_dead_at(100 * kSecond, 0, 0));
  EXPECT_FALSE(is_dead_at(102 * kSecond, 1, 0));
  EXPECT_FALSE(is_dead_at(104 * kSecond, 1, 0));
  EXPECT_FALSE(is_dead_at(108 * kSecond - 1, 1, 0));
  EXPECT_TRUE(is_dead_at(108 * kSecond, 0, 0));
}

// Rules: ENV.9
TEST_F(OfAClosedWindow, WhatComesAtTheLastMomentStartsTheTimeAnew) {
  EXPECT_FALSE(is_dead_at(0, 1, 0));
  EXPECT_FALSE(is_dead_at(7 * kSecond, 3, 0));
  EXPECT_FALSE(is_dead_at(8 * kSecond, 3, 1));
  EXPECT_FALSE(is_dead_at(14 * kSecond, 3, 0));
  EXPECT_FALSE(is_dead_at(16 * kSecond - 1, 3, 0));
  EXPECT_TRUE(is_dead_at(16 * kSecond, 0, 0));
}

// The kernel has sent no probe since the last look, or the answer to its only probe is on the way.
// Rules: ENV.9
TEST_F(OfAClosedWindow, SilenceAfterOneQuestionIsNoDeath) {
  EXPECT_FALSE(is_dead_at(0, 1, 1));
  EXPECT_FALSE(is_dead_at(60 * kSecond, 0, 0));
  EXPECT_FALSE(is_dead_at(90 * kSecond, 1, 0));
  EXPECT_FALSE(is_dead_at(100 * kSecond, 0, 0));
  EXPECT_TRUE(is_dead_at(120 * kSecond, 1, 0));
}

// A process that was stopped finds, at its first look, all probes of the time in which it stood
// still.
// Rules: ENV.9
TEST_F(OfAClosedWindow, OneLateLookIsNoDeath) {
  EXPECT_FALSE(is_dead_at(0, 1, 1));
  EXPECT_FALSE(is_dead_at(3600 * kSecond, 100, 0));
  EXPECT_FALSE(is_dead_at(3602 * kSecond, 1, 1));
}

// Rules: ENV.9
TEST_F(OfAClosedWindow, OneThatOpensInBetweenBeginsAnew) {
  EXPECT_FALSE(is_dead_at(0, 1, 0));
  EXPECT_FALSE(is_dead_at(4 * kSecond, 1, 0));
  window_.open();
  EXPECT_FALSE(is_dead_at(10 * kSecond, 1, 0));
  EXPECT_FALSE(is_dead_at(14 * kSecond, 1, 0));
  EXPECT_FALSE(is_dead_at(18 * kSecond - 1, 1, 0));
  EXPECT_TRUE(is_dead_at(18 * kSecond, 0, 0));
}

} // namespace
} // namespace datum::test
