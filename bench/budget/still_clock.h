// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// budget/still_clock.h: a clock that moves only by advance_clock(), and sleeps that never time out.
// Lives here: this process's clock_gettime(2) and ppoll(2), which replace those of the C library.
// Not here:   any code of the product, which runs as it is installed.
//
// Which path a call of the product takes depends on the background threads of two adapters and on
// the machine's timing. While the clock stands, both are the same in every run: time moves only by
// advance_clock(), and no backoff of a background thread ends by time.
// Threads: hold_clock(), release_clock() and advance_clock() are called by the one thread that
// calls
//          the product.
#pragma once

namespace budget {

// From now on the clock stands. The caller must be the thread whose calls are counted.
void hold_clock();
// Restores the machine's clock. Backoffs that have begun still do not end by time.
void release_clock();
void advance_clock(long nanoseconds);
// threads_asleep(): how many threads sleep in ppoll(2) without a time limit now. wakes(): how often
// a thread has returned from ppoll(2) since the clock was held.
int threads_asleep();
unsigned wakes();

} // namespace budget
