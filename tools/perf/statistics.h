// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/statistics.h: figures for a set of measured values. Pure.
#pragma once

#include <vector>

namespace datum::perf {

struct Spread {
  double min = 0, median = 0, max = 0;
};

// All zero for no values. For an even count the median is the mean of the middle two.
Spread spread_of(std::vector<double> values);

struct Percentiles {
  double p50 = 0, p99 = 0, p999 = 0, max = 0;
};

// By nearest rank: each figure is a value that was measured. All zero for no values.
Percentiles percentiles_of(std::vector<double> values);

// The difference of two values, divided by the smaller one: 0.15 is 15 %.
double difference(double a, double b);

} // namespace datum::perf
