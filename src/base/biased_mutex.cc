// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/biased_mutex.h"

#include "base/cpu.h"
#include "base/futex.h"

namespace datum {

void BiasedMutex::lock_plainly(const void* me) {
  mutex_.lock();
  if (favourite_.load(std::memory_order_relaxed) != nullptr) end_bias();
  plain_ = true;
  streak_ = last_ == me ? streak_ + 1 : 0;
  last_ = me;
}

void BiasedMutex::unlock_plainly() {
  // From here on the next lock may be the favourite's, and then the mutex stays free.
  if (streak_ >= kStreak && !mutex_.contended() && heavy_fence_ready()) {
    streak_ = 0;
    plain_ = false;
    favourite_.store(last_, std::memory_order_release);
  }
  mutex_.unlock();
}

// The mutex is held: nobody becomes the favourite meanwhile.
void BiasedMutex::end_bias() {
  constexpr int kSpins = 100;
  favourite_.store(nullptr, std::memory_order_relaxed);
  heavy_fence();
  for (int i = 0; i < kSpins; ++i) {
    if (inside_.load(std::memory_order_acquire) == 0) return;
    cpu_pause();
  }
  while (inside_.load(std::memory_order_acquire) != 0)
    static_cast<void>(futex_wait(inside_, 1, kNever));
}

void BiasedMutex::wake_who_ends_the_bias() {
  futex_wake(inside_, 1);
}

} // namespace datum
