// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/fence.h: fences that put the whole cost on the side that needs them seldom.
// Each of two sides writes its own word and then reads the word of the other side. At least one
// side must see what the other side wrote. A full fence on both sides would cost the frequent side
// about 10 ns and a wait for all its unfinished stores. Here the frequent side only keeps the
// compiler from reordering. The seldom side has the kernel run a full fence on every processor that
// runs a thread concerned (membarrier(2)).
#pragma once

#include <atomic>

namespace datum {

// The frequent side calls this. The seldom side must call a heavy fence.
inline void light_fence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// The first call of a *_ready() function may take milliseconds once the process has several
// threads. So an IA that is being opened calls those that it will need before it starts its own
// thread.

// If a filter (seccomp) forbids membarrier(2) later, a heavy fence still works: it waits for 1 ms.

// heavy_fence() is for the threads of this process. heavy_fence_ready() returns false if the kernel
// does not offer such a fence, or no longer does. The caller then uses full fences.
bool heavy_fence_ready();
void heavy_fence();

// shared_heavy_fence() is for the threads of all processes that called shared_heavy_fence_ready().
// The frequent side may rely on it only if shared_heavy_fence_ready() returned true in its own
// process and in the process of the seldom side. In a process in which it returned false,
// shared_heavy_fence() is only a full fence of the calling thread. That is enough, since the
// frequent sides use full fences, too.
bool shared_heavy_fence_ready();
void shared_heavy_fence();

} // namespace datum
