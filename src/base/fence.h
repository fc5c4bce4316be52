// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/fence.h: fences that put the whole cost on the side that needs them seldom.
// Two sides each write one word and then read the other's. At least one of them must see the
// other's word. A full fence on both sides would cost the frequent side about 10 ns and a wait for
// all its unfinished stores.
// Here the frequent side only keeps the compiler from reordering. The seldom side has the kernel
// run a full fence on every processor that runs a thread concerned (membarrier(2)).
#pragma once

#include <atomic>

namespace datum {

// The frequent side calls this. The seldom side must call a heavy fence.
inline void light_fence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// The first call may take milliseconds once the process has several threads. So an IA calls those
// that it will need as it is opened, before its own thread starts.

// If a filter (seccomp) forbids membarrier(2) later, a heavy fence still orders, by waiting for 1
// ms.

// A heavy fence among the threads of this process. False: the kernel does not offer it, or no
// longer does. The caller then uses full fences.
bool heavy_fence_ready();
void heavy_fence();

// A heavy fence among all processes that called shared_heavy_fence_ready(). The frequent side may
// rely on it only if that returned true in its own process and in that of the seldom side. If it
// returned false, shared_heavy_fence() is a full fence of the caller, which is enough: the frequent
// sides use full fences, too.
bool shared_heavy_fence_ready();
void shared_heavy_fence();

} // namespace datum
