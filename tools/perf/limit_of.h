// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/limit_of.h: which physical limit a task is compared with. Pure.
#pragma once

#include <string>
#include <vector>

#include "perf/limits_helper.h"
#include "perf/task.h"

namespace datum::perf {

struct LimitChoice {
  Limit limit;
  std::size_t size;
};

// The best of these is the limit. Empty: no limit is known for this task.
std::vector<LimitChoice> limits_of(const Task& task);

std::string name_of(const LimitChoice& choice); // "ring 8 B", the name that datum-limits uses

// Converts to the unit of the task's result: ns, operations per second or bytes per second.
double in_unit_of(const Task& task, const LimitChoice& choice, double measured);
bool smaller_is_better(const Task& task);

} // namespace datum::perf
