// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/rounds.h: running a round many times, with or without a time stamp for each.
#pragma once

#include "perf/runs.h"
#include "perf/stopwatch.h"

namespace datum::perf {

// round(i) is called with 0, 1, 2, ...; the warm-up rounds come first and are not timed.
template <typename Round>
Outcome run_rounds(const Order& order, Round&& round) {
  Outcome outcome;
  if (order.each) outcome.ticks.reserve(order.rounds);
  std::uint64_t i = 0;
  for (; i < order.warm_up; ++i) round(i);
  const std::uint64_t total = order.warm_up + order.rounds;
  const double start = now_ns();
  if (order.each) {
    std::uint64_t before = ticks();
    for (; i < total; ++i) {
      round(i);
      const std::uint64_t after = ticks();
      outcome.ticks.push_back(after - before);
      before = after;
    }
  } else {
    for (; i < total; ++i) round(i);
  }
  outcome.ns = now_ns() - start;
  return outcome;
}

} // namespace datum::perf
