// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/comparison.h: the figure of another maker's tool beside a result of dat-perf.
#pragma once

#include <string>

#include "perf/compare_tools.h"

namespace datum::perf {

struct Comparison {
  ToolTest test;
  std::string failure; // why there is no figure; the rest is empty then
  double value = 0;    // in the unit of the result
  double ratio = 0;    // the result of dat-perf divided by this value
  bool steady = true;  // false: the probe changed during every attempt
};

} // namespace datum::perf
