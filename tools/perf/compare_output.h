// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/compare_output.h: reads the output of other makers' tools. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perf/compare_tools.h"

namespace datum::perf {

// The figure in the unit of the task: ns, operations per second or bytes per second. None: the
// output has no line with a result.
std::optional<double> figure_in(std::string_view output, Program program, const Task& task);

// The last line that is not empty, made printable; "it printed nothing" if there is none.
std::string last_line(std::string_view output);

} // namespace datum::perf
