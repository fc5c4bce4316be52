// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/mutex.h"

#include "base/cpu.h"
#include "base/futex.h"

namespace datum {

void Mutex::lock_slow() {
  // The holder usually unlocks within the time of copying a few cache lines.
  constexpr int kSpins = 100;
  for (int i = 0; i < kSpins; ++i) {
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (seen == kPassedOn) break;
    if (seen == kFree && try_lock()) return;
    cpu_pause();
  }
  lock_marked();
}

// A thread that may have been woken marks the lock as contended, since other threads may still
// sleep for it.
void Mutex::lock_marked() {
  for (;;) {
    const std::uint32_t before = word_.exchange(kContended, std::memory_order_acquire);
    if (before == kFree || before == kPassedOn) return;
    static_cast<void>(futex_wait(word_, kContended, kNever));
  }
}

void Mutex::let_in() {
  // If no processor runs the woken thread in this time, it gets the lock another time.
  constexpr Duration kLongest = kMillisecond;
  if (!contended()) {
    unlock();
    return lock();
  }
  word_.store(kPassedOn, std::memory_order_release);
  // futex_wake() may wake no thread. Then the sleeper is awake already or not asleep yet, or it has
  // taken the lock and left a mark that no thread needs.
  if (futex_wake(word_, 1) != 0) static_cast<void>(futex_wait(word_, kPassedOn, kLongest));
  lock_marked();
}

void Mutex::wake_one() {
  futex_wake(word_, 1);
}

} // namespace datum
