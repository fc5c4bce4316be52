// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/far_side.h: the network namespace in which --local runs its passive side.
#pragma once

#include <string>

namespace datum::perf {

struct FarSide {
  std::string netns;   // its path; empty: the passive side stays in this process's namespace
  std::string address; // the passive side's address, as the active side reaches it
};

// Throws ToolError(Usage) if connections may take shared memory alone (DATUM_TRANSPORT), and the
// passive side is in another namespace: processes find each other within one only.
void require_way_to(const FarSide& side);

// text: NAME=ADDRESS. NAME is a name of `ip netns`, or a path. Throws ToolError(Usage).
FarSide far_side_of(const std::string& text);

// Moves this thread, and the threads that it starts later, into the namespace. Throws
// ToolError(Usage).
void enter(const FarSide& side);

} // namespace datum::perf
