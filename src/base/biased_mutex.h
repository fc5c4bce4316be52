// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/biased_mutex.h: the lock of an interface adapter. It is nearly free for a thread that takes
// it again and again, as a polling thread does.
// Lives here: a plain mutex, and the bias: the bias owner locks with one store and unlocks with
//             another, without an atomic read-modify-write, so it never waits for its own stores to
//             reach another processor. A thread that is not the bias owner first ends the bias
//             (fence.h), which costs about 1 us.
// Threads:    any. The bias belongs to a thread that took the plain lock kStreak times in a row.
//
// The order that makes it a lock: the bias owner announces that it is inside, then checks that it
// is still the bias owner. A thread that ends the bias announces that, fences everywhere, then
// checks whether the bias owner is inside. A thread may read bias_owner_ and then be delayed until
// another bias owner is inside. It announces itself late, finds that it is not the bias owner any
// more, and takes its announcement back. In a place shared by all, that would erase the
// announcement of the new bias owner. So each bias owner has its own place.
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

  // lock() and unlock() are always inline: every DAT call begins and ends with them.
  [[gnu::always_inline]] void lock() DATUM_ACQUIRE() DATUM_NO_TSA {
    const void* me = current_thread();
    Place* place = bias_owner_.load(std::memory_order_acquire);
    if (place == nullptr || place->thread != me) return lock_plainly(me);
    place->inside.store(1, std::memory_order_relaxed);
    light_fence();
    // Relaxed is enough: only this thread stores its own place into bias_owner_.
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
  // Unlocks, and locks again. A thread that sleeps for the lock gets it in between (mutex.h).
  void let_in() DATUM_NO_TSA;
  // True: a thread sleeps for mutex_. A thread that polls in a loop then calls let_in(). A thread
  // that ends the bias holds mutex_ and is not counted.
  bool contended() const { return mutex_.contended(); }
  // True: the calling thread holds the lock. For assertions.
  bool held() const {
    if (held_from_ == nullptr) return mutex_.held() && last_ == current_thread();
    return held_from_->inside.load(std::memory_order_relaxed) != 0 &&
           held_from_->thread == current_thread();
  }

 private:
  static constexpr std::uint32_t kStreak = 256;
  static constexpr std::size_t kPlaces = 64;

  struct Place {
    // nullptr: no thread has this place. A thread never gives its place back
    const void* thread = nullptr;
    std::atomic<std::uint32_t> inside{0};
  };

  // An address that no other living thread has. The threads of tests/orders are fibers of one
  // thread, so that test supplies DATUM_CURRENT_THREAD().
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
      wake_thread_that_ends_bias(place);
  }
  // lock_plainly() leaves mutex_ locked. unlock_plainly() unlocks a mutex_ that it did not lock.
  [[gnu::cold]] void lock_plainly(const void* me) DATUM_NO_TSA;
  void taken_plainly(const void* me);
  [[gnu::cold]] void unlock_plainly() DATUM_NO_TSA;
  void end_bias(Place& of);
  // nullptr: all places belong to other threads.
  Place* place_of(const void* thread);
  [[gnu::cold]] void wake_thread_that_ends_bias(Place& place);

  std::atomic<Place*> bias_owner_{nullptr};
  // The place of the bias owner, from the start of the bias until another thread has ended it;
  // nullptr: the lock is mutex_ alone. Only the holder of the lock writes this.
  Place* held_from_ = nullptr;
  std::uint32_t streak_ = 0; // plain locks in a row by `last_`
  const void* last_ = nullptr;
  Mutex mutex_;
  Place places_[kPlaces];
};

} // namespace datum
