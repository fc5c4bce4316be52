// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/biased_mutex.h: the lock of an interface adapter. It is nearly free for a thread that takes
// it again and again, as a polling thread does.
// Lives here: a plain mutex, and the bias: the bias owner takes the lock with two stores and no
//             atomic operation, so it never waits for its own stores to reach another processor. A
//             thread that is not the bias owner first ends the bias (fence.h), which costs about 1
//             us.
// Threads:    any. The bias belongs to a thread that took the plain lock kStreak times in a row.
//
// The order that makes it a lock: the bias owner announces that it is inside, then checks that it
// is still the bias owner. A thread that ends the bias announces that, fences everywhere, then
// checks whether the bias owner is inside. A bias owner may be delayed before its announcement
// until another bias owner is inside. It then takes its announcement back. So each bias owner
// announces in a place of its own.
// Bounds:     kPlaces threads, one after the other, can become bias owners of one lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "base/fence.h"
#include "base/mutex.h"

namespace datum {

#if defined(DATUM_CURRENT_THREAD)
const void* DATUM_CURRENT_THREAD();
#endif

class DATUM_CAPABILITY("mutex") BiasedMutex {
 public:
  constexpr BiasedMutex() = default;
  BiasedMutex(const BiasedMutex&) = delete;
  BiasedMutex& operator=(const BiasedMutex&) = delete;

  // Always inline: every DAT call begins and ends with these two.
  [[gnu::always_inline]] void lock() DATUM_ACQUIRE() DATUM_NO_TSA {
    const void* me = current_thread();
    Place* place = bias_owner_.load(std::memory_order_acquire);
    if (place == nullptr || place->thread != me) return lock_plainly(me);
    place->inside.store(1, std::memory_order_relaxed);
    light_fence();
    // Relaxed: this thread itself made the place the bias owner's.
    if (bias_owner_.load(std::memory_order_relaxed) == place) [[likely]]
      return;
    leave(*place);
    lock_plainly(me);
  }
  [[gnu::always_inline]] void unlock() DATUM_RELEASE() DATUM_NO_TSA {
    if (held_from_ == nullptr)
      unlock_plainly();
    else
      leave(*held_from_);
  }
  // Unlocks, and locks again. A thread that sleeps for the lock has it in between (mutex.h).
  void let_in() DATUM_NO_TSA;
  // A thread sleeps for the lock. A thread that polls in a loop then calls let_in().
  bool contended() const { return mutex_.contended(); }
  // The calling thread holds it: for assertions.
  bool held() const {
    if (held_from_ == nullptr) return mutex_.held() && last_ == current_thread();
    return held_from_->inside.load(std::memory_order_relaxed) != 0 &&
           held_from_->thread == current_thread();
  }

 private:
  static constexpr std::uint32_t kStreak = 256;
  static constexpr std::size_t kPlaces = 64;

  struct Place {
    const void* thread = nullptr; // nullptr: the place is free, and no place ever gets free again
    std::atomic<std::uint32_t> inside{0};
  };

  // An address that no other living thread has. The threads of tests/orders are fibers of one
  // thread.
  static const void* current_thread() {
#if defined(DATUM_CURRENT_THREAD)
    return DATUM_CURRENT_THREAD();
#elif defined(__x86_64__)
    const void* self = nullptr;
    asm("mov %%fs:0, %0" : "=r"(self));
    return self;
#elif defined(__powerpc64__) // GCC 12 has no builtin there
    const void* self = nullptr;
    asm("mr %0, 13" : "=r"(self));
    return self;
#elif defined(__aarch64__) || defined(__s390x__) || defined(__riscv)
    return __builtin_thread_pointer();
#else
    return reinterpret_cast<const void*>(::pthread_self());
#endif
  }
  void leave(Place& place) {
    place.inside.store(0, std::memory_order_release);
    light_fence();
    if (bias_owner_.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
      wake_who_ends_the_bias(place);
  }
  // The first leaves the mutex held. The second frees a mutex that it did not take.
  [[gnu::cold]] void lock_plainly(const void* me) DATUM_NO_TSA;
  void taken_plainly(const void* me);
  [[gnu::cold]] void unlock_plainly() DATUM_NO_TSA;
  void end_bias(Place& of);
  // nullptr: all places belong to other threads.
  Place* place_of(const void* thread);
  [[gnu::cold]] void wake_who_ends_the_bias(Place& place);

  std::atomic<Place*> bias_owner_{nullptr};
  // by the bias owner; nullptr: by the plain mutex. Only the holder writes it
  Place* held_from_ = nullptr;
  std::uint32_t streak_ = 0; // plain locks in a row by `last_`
  const void* last_ = nullptr;
  Mutex mutex_;
  Place places_[kPlaces];
};

} // namespace datum
