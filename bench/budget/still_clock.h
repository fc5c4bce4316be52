// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// budget/still_clock.h: a clock that moves only by advance_clock(), and sleeps that do not end by
// time.
// Lives here: clock_gettime(2) and ppoll(2) of this process, put before those of the C library.
// Not here:   any code of the product: it runs as it is installed.
//
// The background threads of two adapters, and the times of the machine, decide which way a call of
// the product takes. While the clock stands, both are the same in every run: time moves only by
// advance_clock(), and no backoff of a background thread ends by time.
// Threads: hold_clock(), release_clock() and advance_clock(): the one thread that calls the
//          product.
#pragma once

namespace budget {

// From now on the clock stands. The caller must be the thread whose calls are counted.
void hold_clock();
// Gives the machine's clock back. Backoffs that have begun still have no end.
void release_clock();
void advance_clock(long nanoseconds);
// threads_asleep(): how many threads sleep in ppoll(2) without a time limit now. wakes(): how often
// a thread has returned from ppoll(2) since the clock was held.
int threads_asleep();
unsigned wakes();

} // namespace budget
