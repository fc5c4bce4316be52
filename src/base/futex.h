// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/futex.h: sleeping on a word of this process, and waking the threads that sleep there.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace datum {

enum class FutexResult : std::uint8_t { Woken, TimedOut, Interrupted };

// Sleeps while `word` holds `expected`, at most `limit` nanoseconds (kNever: no bound).
// Woken covers spurious wake-ups and a word that had already changed.
FutexResult futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       Duration limit);
// futex_wait() for a thread that holds no lock: pthread_cancel() may end the thread in this call
// (cancellation.h).
FutexResult futex_sleep(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                        Duration limit);
// 0, or the errno with which a filter of system calls (seccomp) refuses futex(2). The C library's
// threads need the same call: under such a filter pthread_join() would end the program.
int why_no_futex();
// Returns how many threads it woke.
int futex_wake(const std::atomic<std::uint32_t>& word, int count);

} // namespace datum
