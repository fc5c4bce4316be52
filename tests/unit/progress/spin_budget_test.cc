// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/spin_budget.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

// Makes `waits` waits that take `each` each. Returns how many of them polled.
int polling_waits(SpinBudget& budget, int waits, Duration each) {
  int polled = 0;
  for (int i = 0; i < waits; ++i) {
    const bool polls = budget.worth_it();
    budget.learn(polls, each);
    polled += polls ? 1 : 0;
  }
  return polled;
}

TEST(SpinBudget, ShortWaitsKeepItPolling) {
  SpinBudget budget(true);
  EXPECT_EQ(polling_waits(budget, 100, 5'000), 100);
}

TEST(SpinBudget, FourLongWaitsEndIt) {
  SpinBudget budget(true);
  polling_waits(budget, 100, 5'000);
  EXPECT_EQ(polling_waits(budget, 60, 1'000'000), 4);
}

TEST(SpinBudget, ThenOneWaitIn64TriesAgain) {
  SpinBudget budget(true);
  polling_waits(budget, 64, 1'000'000);
  EXPECT_EQ(polling_waits(budget, 640, 1'000'000), 10);
}

TEST(SpinBudget, OneTryThatSucceedsBringsItBack) {
  SpinBudget budget(true);
  polling_waits(budget, 1000, 1'000'000);
  polling_waits(budget, 64, 20'000);
  EXPECT_EQ(polling_waits(budget, 100, 20'000), 100);
}

TEST(SpinBudget, NeverWithoutACoreToSpare) {
  SpinBudget budget(false);
  EXPECT_EQ(polling_waits(budget, 1000, 1'000), 0);
}

} // namespace
} // namespace datum
