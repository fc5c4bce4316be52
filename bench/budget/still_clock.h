// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// budget/still_clock.h: a clock that moves only when it is told to, and threads that only wake when
// they are told to.
// Lives here: clock_gettime(2) and ppoll(2) of this process, put before those of the C library.
// Not here:   anything of the product: it runs as it is installed.
//
// The background threads of two adapters, and the times of the machine, decide which way a call of
// the product takes. While the clock stands, both are the same in every run: time is what advance()
// says, and a backoff of a background thread has no end of its own.
// Threads: hold(), release() and advance(): one thread, the one that calls the product.
#pragma once

namespace budget {

// From now on the clock stands. The caller's thread is the one that is counted.
void hold_clock();
// The machine's clock again; backoffs that have begun still have no end.
void release_clock();
void advance_clock(long nanoseconds);
// How many threads sleep in ppoll(2) without an end now, and how often one has come back from there
// since the clock was held.
int threads_asleep();
unsigned wakes();

} // namespace budget
