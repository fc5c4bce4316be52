// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/fence.h: fences whose whole cost is on the side that needs them seldom.
// Two sides each write one word and then read the other's; at least one must see the other. With a
// full fence on both sides that costs the frequent one some 10 ns and all its unfinished stores.
// Here the frequent side only keeps the compiler from reordering, and the seldom side has the
// kernel run a full fence on every processor that runs a thread concerned (membarrier(2)).
#pragma once

#include <atomic>

namespace datum {

// The frequent side, where the seldom side is known to call a heavy fence.
inline void light_fence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Asking for it the first time may take milliseconds once the process has several threads: each is
// asked for when an IA is opened, before its own thread starts.

// Forbidden afterwards (seccomp), a heavy fence still orders, by waiting for a millisecond.

// Among the threads of this process. False: the kernel does not offer it, or no longer; use full
// fences from now on.
bool heavy_fence_ready();
void heavy_fence();

// Among all processes that asked for it. A process that relies on another one's heavy fences, as
// the frequent side, must have got true here first.
bool shared_heavy_fence_ready();
void shared_heavy_fence();

} // namespace datum
