// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace datum::perf {
namespace {

double nearest_rank(const std::vector<double>& sorted, double part) {
  const double rank = std::ceil(part * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

} // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {values.front(), median, values.back()};
}

Percentiles percentiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {nearest_rank(values, 0.5), nearest_rank(values, 0.99), nearest_rank(values, 0.999),
          values.back()};
}

double difference(double a, double b) {
  const double small = std::min(a, b);
  if (!(small > 0)) return std::numeric_limits<double>::infinity();
  return std::abs(a - b) / small;
}

} // namespace datum::perf
