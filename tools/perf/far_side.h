// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/far_side.h: the network namespace in which --local runs its passive side.
#pragma once

#include <string>

namespace datum::perf {

struct FarSide {
  std::string netns;   // path of it; empty: the passive side stays in ours
  std::string address; // of the passive side, as seen from here
};

// From NAME=ADDRESS, the name as `ip netns` has it, or a path. Throws ToolError(Usage).
FarSide far_side_of(const std::string& text);

// This thread, and threads that it starts later. Throws ToolError(Usage).
void enter(const FarSide& side);

} // namespace datum::perf
