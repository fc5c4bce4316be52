// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/biased_mutex.h: the lock of an interface adapter: nearly free for a thread that takes it
// again and again, which is what a thread that polls does.
// Lives here: a plain mutex, and the bias: the favourite takes the lock with two stores and no
//             atomic operation, so that it never waits for its own stores to reach a peer.
//             Whoever else wants the lock ends the bias first (fence.h), which costs about 1 us.
// Threads:    any. The bias belongs to a thread that took the plain lock kStreak times in a row.
//
// The order that makes it a lock: the favourite says that it is inside, then looks whether it still
// is the favourite; who ends the bias says so, fences everywhere, then looks whether it is inside.
// A favourite may be held up before it says so until another one is inside, and then takes back
// what it has said. So each says it in a place of its own.
// Bounds: kPlaces threads, one after the other, can become favourites of one lock.
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
    Place* place = favourite_.load(std::memory_order_acquire);
    if (place == nullptr || place->thread != me) return lock_plainly(me);
    place->inside.store(1, std::memory_order_relaxed);
    light_fence();
    // Relaxed: it was this thread that made the place the favourite's.
    if (favourite_.load(std::memory_order_relaxed) == place) [[likely]]
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
  // unlock() and lock(), and whoever sleeps for the lock has it in between (mutex.h).
  void let_in() DATUM_NO_TSA;
  // Somebody sleeps for the lock: a thread that polls in a loop lets it in.
  bool contended() const { return mutex_.contended(); }

 private:
  static constexpr std::uint32_t kStreak = 256;
  static constexpr std::size_t kPlaces = 64;

  struct Place {
    const void* thread = nullptr; // set once
    std::atomic<std::uint32_t> inside{0};
  };

  // Any address that no other living thread has. The threads of tests/orders are fibers of one.
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
    if (favourite_.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
      wake_who_ends_the_bias(place);
  }
  // They leave the mutex held, or free one that they did not take: that is what the two are for.
  [[gnu::cold]] void lock_plainly(const void* me) DATUM_NO_TSA;
  void taken_plainly(const void* me);
  [[gnu::cold]] void unlock_plainly() DATUM_NO_TSA;
  void end_bias(Place& of);
  // nullptr: they are all other threads'.
  Place* place_of(const void* thread);
  [[gnu::cold]] void wake_who_ends_the_bias(Place& place);

  std::atomic<Place*> favourite_{nullptr};
  Place* held_from_ = nullptr; // by the favourite; nullptr: plainly. Written by the holder
  std::uint32_t streak_ = 0;   // plain locks in a row by `last_`
  const void* last_ = nullptr;
  Mutex mutex_;
  Place places_[kPlaces];
};

} // namespace datum
