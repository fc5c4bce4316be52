// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/fork.h: makes the processes that are copies of this one.
// Not here:   programs of other makers (child.h).
#pragma once

#include <sys/types.h>

namespace datum::perf {

// fork(2). Throws ToolError(Usage), which says what limits the number of processes. what: the name
// of the new process in that text.
pid_t fork_into(const char* what);

} // namespace datum::perf
