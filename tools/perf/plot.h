// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/plot.h: results over the message size, as an SVG drawing with the limits as dashed lines.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "perf/measure.h"

namespace datum::perf {

// Text for the whole plot: the machine, the date, the options, and the conditions that make the
// figures less reliable.
struct Caption {
  std::vector<std::string> lines, warnings;
};

// True: the plot shows results of such a task.
bool is_plotted(const Task& task);

// One panel each for latencies, rates and bandwidths, if there are such results.
std::string plot_svg(const std::vector<Result>& results, const Caption& caption);

} // namespace datum::perf
