// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/comparison.h: another maker's tool beside a result of ours.
#pragma once

#include <string>

#include "perf/compare_tools.h"

namespace datum::perf {

struct Comparison {
  ToolTest test;
  std::string failure; // why there is no figure; the rest is empty then
  double value = 0;    // in the unit of our result
  double ratio = 0;    // ours to theirs
  bool steady = true;  // false: the cores moved during every attempt
};

} // namespace datum::perf
