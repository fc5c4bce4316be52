// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/biased_mutex.h"

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/futex.h"

namespace datum {

void BiasedMutex::lock_plainly(const void* me) {
  mutex_.lock();
  taken_plainly(me);
}

void BiasedMutex::taken_plainly(const void* me) {
  if (Place* const place = bias_owner_.load(std::memory_order_relaxed)) end_bias(*place);
  held_from_ = nullptr;
  streak_ = last_ == me ? streak_ + 1 : 0;
  last_ = me;
}

void BiasedMutex::unlock_plainly() {
  DATUM_ASSERT(last_ == current_thread());
  // From here on the bias owner may take the lock without mutex_, which then stays free.
  if (streak_ >= kStreak && !mutex_.contended() && heavy_fence_ready()) {
    streak_ = 0;
    held_from_ = place_of(last_);
    DATUM_ASSERT(held_from_ == nullptr || held_from_->thread == last_);
    if (held_from_ != nullptr) bias_owner_.store(held_from_, std::memory_order_release);
  }
  mutex_.unlock();
}

void BiasedMutex::let_in() {
  // A thread that ends the bias holds mutex_ already, so it goes next anyway.
  if (held_from_ != nullptr) {
    unlock();
    return lock();
  }
  mutex_.let_in();
  taken_plainly(current_thread());
}

// The caller holds mutex_, so no other thread becomes the bias owner meanwhile.
void BiasedMutex::end_bias(Place& of) {
  constexpr int kSpins = 100;
  bias_owner_.store(nullptr, std::memory_order_relaxed);
  heavy_fence();
  for (int i = 0; i < kSpins; ++i) {
    if (of.inside.load(std::memory_order_acquire) == 0) return;
    cpu_pause();
  }
  while (of.inside.load(std::memory_order_acquire) != 0)
    static_cast<void>(futex_wait(of.inside, 1, kNever));
}

BiasedMutex::Place* BiasedMutex::place_of(const void* thread) {
  for (Place& place : places_) {
    if (place.thread == nullptr) place.thread = thread;
    if (place.thread == thread) return &place;
  }
  return nullptr;
}

void BiasedMutex::wake_thread_that_ends_bias(Place& place) {
  futex_wake(place.inside, 1);
}

} // namespace datum
