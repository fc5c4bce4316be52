// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/machine.h: the machine on which the figures were measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum::perf {

struct Machine {
  std::string processor, kernel;
  std::string date;   // "2026-11-26 15:40 UTC"
  unsigned cores = 0; // that this process may use; 0: unknown
  double load = NAN;  // runnable processes, the mean of the last minute; not a number: unknown
};

Machine this_machine();
std::string text_of(const Machine& machine); // one line
// True: other processes run on this machine, so the figures mean little.
bool is_busy(const Machine& machine);

// Empty: the kernel does not tell.
std::vector<int> allowed_cores();
// Pins this thread, and the threads that it starts later. Throws ToolError(Usage) with this advice
// if this process may not use the core, or may not pin itself.
void pin_to(int core, std::string_view advice);
// For the two sides of --local.
inline constexpr std::string_view kAdviceOfLocal = "--no-pin lets the kernel choose the cores";

} // namespace datum::perf
