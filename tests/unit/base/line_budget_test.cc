// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/line_budget.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

int taken_at(LineBudget& budget, Instant now, int tries) {
  int taken = 0;
  for (int i = 0; i < tries; ++i) taken += budget.take(now) ? 1 : 0;
  return taken;
}

TEST(LineBudget, TwentyAtOnce) {
  LineBudget budget;
  EXPECT_EQ(taken_at(budget, 500, 1000), 20);
  EXPECT_EQ(budget.left_out(), 980U);
  EXPECT_EQ(budget.left_out(), 0U);
}

TEST(LineBudget, ThenOneEachSecond) {
  LineBudget budget;
  taken_at(budget, 500, 1000);
  EXPECT_EQ(taken_at(budget, 999'999'999, 10), 0);
  for (Instant second = 1; second < 10; ++second)
    EXPECT_EQ(taken_at(budget, second * 1'000'000'000, 10), 1) << second;
}

TEST(LineBudget, AfterALongTimeNoMoreThanAtTheBeginning) {
  LineBudget budget;
  taken_at(budget, 500, 1000);
  EXPECT_EQ(taken_at(budget, 3'600'000'000'000, 1000), 20);
}

} // namespace
} // namespace datum
