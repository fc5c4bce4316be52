// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cores.h: which processors threads may use.
#pragma once

#include <optional>
#include <sys/types.h>

namespace datum {

// The only processor that the calling thread may use. Empty: there are several, or the kernel does
// not tell.
std::optional<int> only_core();
// True: the first thread of the process `pid` may use only that processor. False if the process is
// not visible in this pid namespace (`pid` is 0).
bool runs_only_on(int core, pid_t pid);

} // namespace datum
