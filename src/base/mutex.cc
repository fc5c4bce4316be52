// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/mutex.h"

#include "base/cpu.h"
#include "base/futex.h"

namespace datum {

void Mutex::lock_slow() {
  // The holder is usually out again within a copy of a few cache lines.
  constexpr int kSpins = 100;
  for (int i = 0; i < kSpins; ++i) {
    if (word_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
    cpu_pause();
  }
  while (word_.exchange(kContended, std::memory_order_acquire) != kFree)
    static_cast<void>(futex_wait(word_, kContended, kNever));
}

void Mutex::wake_one() {
  futex_wake(word_, 1);
}

} // namespace datum
