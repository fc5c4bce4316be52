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
  SpinBudget budget(waiting::kSpin, true);
  EXPECT_EQ(polling_waits(budget, 100, 5'000), 100);
}

TEST(SpinBudget, FourLongWaitsEndIt) {
  SpinBudget budget(waiting::kSpin, true);
  polling_waits(budget, 100, 5'000);
  EXPECT_EQ(polling_waits(budget, 60, 1'000'000), 4);
}

TEST(SpinBudget, ThenOneWaitIn64TriesAgain) {
  SpinBudget budget(waiting::kSpin, true);
  polling_waits(budget, 64, 1'000'000);
  EXPECT_EQ(polling_waits(budget, 640, 1'000'000), 10);
}

TEST(SpinBudget, OneTryThatSucceedsBringsItBack) {
  SpinBudget budget(waiting::kSpin, true);
  polling_waits(budget, 1000, 1'000'000);
  polling_waits(budget, 64, 20'000);
  EXPECT_EQ(polling_waits(budget, 100, 20'000), 100);
}

// Without a core to spare a short sleep shows nothing: the peer may have run on the very core on
// which this thread would have polled.
TEST(SpinBudget, WithoutACoreToSpareOnlyATryCanBringPolling) {
  SpinBudget budget(waiting::kSpin, false);
  EXPECT_EQ(polling_waits(budget, 63, 5'000), 0);
  EXPECT_EQ(polling_waits(budget, 100, 5'000), 100);
  EXPECT_EQ(polling_waits(budget, 60, 1'000'000), 4);
}

TEST(SpinBudget, WithoutACoreToSpareTriesInVainBecomeSeldom) {
  SpinBudget budget(waiting::kSpin, false);
  EXPECT_EQ(polling_waits(budget, 64 + 128 + 256 + 512, 1'000'000), 4);
  EXPECT_EQ(polling_waits(budget, 1023, 1'000'000), 0);
  EXPECT_EQ(polling_waits(budget, 40'960, 1'000'000), 1 + 1 + 9)
      << "one after 1,024 waits, one after 2,048, then one in 4,096";
  budget.learn(true, 0);
  EXPECT_EQ(polling_waits(budget, 4 + 64, 1'000'000), 4 + 1) << "a success brings them back";
}

} // namespace
} // namespace datum
