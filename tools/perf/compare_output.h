// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/compare_output.h: what the tools of other makers print. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perf/compare_tools.h"

namespace datum::perf {

// The figure, in the unit of the task's own: ns, operations or bytes per second. None: this is not
// what the tool prints when it has measured.
std::optional<double> figure_in(std::string_view output, Program program, const Task& task);

// The last line that has anything on it, fit for a terminal; "it printed nothing".
std::string last_line(std::string_view output);

} // namespace datum::perf
