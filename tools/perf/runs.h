// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/runs.h: the loops that are measured.
// Lives here: the initiator's loop and the responder's loop for each kind of task.
// Not here:   how many rounds and repetitions there are, and what the figures mean (measure.h).
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
  double ns = 0; // for all rounds
  // From the first to the last of these rounds. It is more than ns if only a part of each round is
  // timed.
  double took_ns = 0;
  std::vector<std::uint64_t> ticks; // of each round, if asked for
};

// Both sides call this before a run. It posts the receives and clears the areas.
void prepare(Link& link);

Outcome initiate(Link& link, const Order& order);

// rounds: warm-up included. Returns after the last round of the initiator.
void respond(Link& link, Control& control, std::uint64_t rounds);

// True: the responder counts the rounds and returns after the last round, without a stop line or a
// message.
bool responder_counts(const Task& task);

} // namespace datum::perf
