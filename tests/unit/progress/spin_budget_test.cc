// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/spin_budget.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

TEST(SpinBudget, ShortWaitsKeepItPolling) {
  SpinBudget budget(true);
  for (int i = 0; i < 100; ++i) budget.learn(5'000);
  EXPECT_TRUE(budget.worth_it());
}

TEST(SpinBudget, AFewLongWaitsEndIt) {
  SpinBudget budget(true);
  for (int i = 0; i < 100; ++i) budget.learn(5'000);
  for (int i = 0; i < 4; ++i) budget.learn(1'000'000);
  EXPECT_FALSE(budget.worth_it());
}

TEST(SpinBudget, AFewShortWaitsBringItBackAfterAnyNumberOfLongOnes) {
  SpinBudget budget(true);
  for (int i = 0; i < 1000; ++i) budget.learn(1'000'000);
  EXPECT_FALSE(budget.worth_it());
  for (int i = 0; i < 3; ++i) budget.learn(50'000);
  EXPECT_TRUE(budget.worth_it());
}

TEST(SpinBudget, NeverWithoutACoreToSpare) {
  SpinBudget budget(false);
  EXPECT_FALSE(budget.worth_it());
  for (int i = 0; i < 100; ++i) budget.learn(1'000);
  EXPECT_FALSE(budget.worth_it());
}

} // namespace
} // namespace datum
