// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/measure.h: makes one result from many runs.
// Lives here: how many rounds, warm-up, repetitions with the cache-line probe and the limit for
//             each, and percentiles.
// Not here:   how a result is shown (report.h, plot.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "perf/compare_tools.h"
#include "perf/limits_helper.h"
#include "perf/session.h"
#include "perf/statistics.h"

namespace datum::perf {

struct Plan {
  unsigned repeat = 5;
  unsigned tries = 3;    // how often a repetition is tried while the cores move
  double run_ns = 100e6; // the length that each repetition should have
  double idle_ns = 10e9; // how long "idle" watches
};

struct Result {
  Task task;
  std::string skipped;   // why it was not measured; the rest is empty then
  Spread value;          // ns; operations or bytes per second
  unsigned repeated = 0; // repetitions thrown away because the cores moved
  bool steady = true;    // false: the cores moved in a repetition that was kept
  double probe = 0;      // ns one way, the median of all; 0: unknown
  std::uint64_t rounds = 0;
  std::optional<Percentiles> percentiles;
  std::string limit_name;
  Spread limit, ratio; // each repetition has its own limit, measured beside it
  std::string remark;
  std::vector<Comparison> comparisons; // with --compare
  // "idle" only; descriptors: of both processes. setup_ns: from the first endpoint's creation until
  // the last is connected.
  double cpu_percent = 0, memory_per_pair = 0, descriptors_per_pair = 0, setup_ns = 0;
};

// True: the probes before and after a measurement differ so much that the measurement must not be
// compared. A probe of 0 means that there is no probe.
bool cores_moved(double before, double after);

// Called before each step with a text for a progress line.
using Watch = std::function<void(const std::string&)>;

Result measure(Session& session, LimitsHelper* limits, const Task& task, const Plan& plan,
               const Watch& watch);

} // namespace datum::perf
