// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/plot.h: results over the message size, as an SVG drawing with the limits as dashed lines.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "perf/measure.h"

namespace datum::perf {

// Text for the whole plot: the machine, the date and the options, and what makes the figures less
// reliable.
struct Caption {
  std::vector<std::string> lines, warnings;
};

// True: the plot shows results of such a task.
bool is_plotted(const Task& task);

// One panel for latencies, one for rates, one for bandwidths, as far as there are results.
std::string plot_svg(const std::vector<Result>& results, const Caption& caption);

} // namespace datum::perf
