// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/statistics.h"

#include <gtest/gtest.h>

namespace datum::perf {
namespace {

TEST(PerfSpread, OfAnOddNumberTheMedianIsTheMiddleValue) {
  const Spread spread = spread_of({30, 10, 20});
  EXPECT_EQ(spread.min, 10);
  EXPECT_EQ(spread.median, 20);
  EXPECT_EQ(spread.max, 30);
}

TEST(PerfSpread, OfAnEvenNumberTheMedianIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(spread_of({40, 10, 30, 20}).median, 25);
}

TEST(PerfSpread, OfNothingIsZero) {
  EXPECT_EQ(spread_of({}).median, 0);
}

TEST(PerfPercentiles, AreMeasuredValuesByNearestRank) {
  std::vector<double> values;
  for (int i = 1000; i >= 1; --i) values.push_back(i);
  const Percentiles p = percentiles_of(values);
  EXPECT_EQ(p.p50, 500);
  EXPECT_EQ(p.p99, 990);
  EXPECT_EQ(p.p999, 999);
  EXPECT_EQ(p.max, 1000);
}

TEST(PerfPercentiles, OfOneValueAreThatValue) {
  const Percentiles p = percentiles_of({7});
  EXPECT_EQ(p.p50, 7);
  EXPECT_EQ(p.p999, 7);
}

TEST(PerfDifference, IsAPartOfTheSmallerValue) {
  EXPECT_DOUBLE_EQ(difference(115, 100), 0.15);
  EXPECT_DOUBLE_EQ(difference(100, 150), 0.5);
}

TEST(PerfDifference, FromNothingIsInfinite) {
  EXPECT_GT(difference(0, 100), 1e300);
}

} // namespace
} // namespace datum::perf
