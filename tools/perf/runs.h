// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/runs.h: the loops that are measured.
// Lives here: for each kind of task what the initiator does and what the responder does.
// Not here:   how many rounds, how often, and what the figures mean (measure.h).
#pragma once

#include <cstdint>
#include <vector>

#include "perf/control.h"
#include "perf/link.h"

namespace datum::perf {

struct Order {
  std::uint64_t warm_up = 0; // rounds before the clock starts
  std::uint64_t rounds = 1;
  bool each = false; // time every round: latency only
};

struct Outcome {
  double ns = 0;                    // for all rounds
  std::vector<std::uint64_t> ticks; // of each round, if asked for
};

// Both sides call it before a run: receives are posted, areas are zero.
void prepare(Link& link);

Outcome initiate(Link& link, const Order& order);

// rounds: warm-up included. Returns when the initiator is done.
void respond(Link& link, Control& control, std::uint64_t rounds);

// The responder leaves by itself, without a stop line or a message.
bool responder_counts(const Task& task);

} // namespace datum::perf
