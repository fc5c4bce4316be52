// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "transport/tcp/posting_habit.h"

namespace datum::test {
namespace {

using waiting::kSoon;

struct Poster {
  PostingHabit habit;
  Instant now = 0;
  void post_and_look_after(Duration time) {
    habit.posted(now);
    now += time;
    habit.looked(now);
  }
  void post_and_look_soon(int times) {
    for (int i = 0; i < times; ++i) post_and_look_after(kSoon);
  }
};

// Rules: tcp.S2
TEST(PostingHabit, EightTimesInARowAreOne) {
  Poster poster;
  poster.post_and_look_soon(7);
  EXPECT_FALSE(poster.habit.comes_back_soon());
  poster.post_and_look_soon(1);
  EXPECT_TRUE(poster.habit.comes_back_soon());
  poster.post_and_look_soon(100);
  EXPECT_TRUE(poster.habit.comes_back_soon());
}

// Rules: tcp.S5
TEST(PostingHabit, OneThatIsLateEndsIt) {
  Poster poster;
  poster.post_and_look_soon(100);
  poster.post_and_look_after(kSoon + 1);
  EXPECT_FALSE(poster.habit.comes_back_soon());
  poster.post_and_look_soon(7);
  EXPECT_FALSE(poster.habit.comes_back_soon());
  poster.post_and_look_soon(1);
  EXPECT_TRUE(poster.habit.comes_back_soon());
}

// Rules: tcp.S2
TEST(PostingHabit, WhatIsPostedBehindTheFirstWithoutALookAtTheClockTakesItsTime) {
  constexpr int kFurther = 200;
  for (const bool late : {false, true}) {
    Poster poster;
    poster.post_and_look_soon(8);
    poster.habit.posted(poster.now);
    for (int i = 0; i < kFurther; ++i) poster.habit.posted_another();
    poster.habit.looked(poster.now + kSoon + kFurther * 500 + (late ? 1 : 0));
    EXPECT_EQ(poster.habit.comes_back_soon(), !late);
  }
}

// Rules: tcp.S2
TEST(PostingHabit, TheLastPostCounts) {
  Poster poster;
  poster.post_and_look_soon(8);
  poster.habit.posted(poster.now);
  poster.now += kSoon;
  EXPECT_TRUE(poster.habit.waits());
  poster.post_and_look_soon(1);
  EXPECT_TRUE(poster.habit.comes_back_soon());
  EXPECT_FALSE(poster.habit.waits());
}

} // namespace
} // namespace datum::test
