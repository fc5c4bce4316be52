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
#pragma once

#include <atomic>
#include <cstdint>

#include "base/fence.h"
#include "base/mutex.h"

namespace datum {

class DATUM_CAPABILITY("mutex") BiasedMutex {
 public:
  constexpr BiasedMutex() = default;
  BiasedMutex(const BiasedMutex&) = delete;
  BiasedMutex& operator=(const BiasedMutex&) = delete;

  // Always inline: every DAT call begins and ends with these two.
  [[gnu::always_inline]] void lock() DATUM_ACQUIRE() DATUM_NO_TSA {
    const void* me = current_thread();
    if (favourite_.load(std::memory_order_relaxed) != me) return lock_plainly(me);
    inside_.store(1, std::memory_order_relaxed);
    light_fence();
    if (favourite_.load(std::memory_order_acquire) == me) [[likely]]
      return;
    leave();
    lock_plainly(me);
  }
  [[gnu::always_inline]] void unlock() DATUM_RELEASE() DATUM_NO_TSA {
    if (plain_)
      unlock_plainly();
    else
      leave();
  }
  // Somebody sleeps for the lock: a thread that polls in a loop lets it in.
  bool contended() const { return mutex_.contended(); }

 private:
  static constexpr std::uint32_t kStreak = 256;

  // Any address that no other living thread has.
  static const void* current_thread() {
#if defined(__x86_64__)
    const void* self = nullptr;
    asm("mov %%fs:0, %0" : "=r"(self));
    return self;
#else
    return __builtin_thread_pointer();
#endif
  }
  void leave() {
    inside_.store(0, std::memory_order_release);
    light_fence();
    if (favourite_.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
      wake_who_ends_the_bias();
  }
  // They leave the mutex held, or free one that they did not take: that is what the two are for.
  [[gnu::cold]] void lock_plainly(const void* me) DATUM_NO_TSA;
  [[gnu::cold]] void unlock_plainly() DATUM_NO_TSA;
  void end_bias();
  [[gnu::cold]] void wake_who_ends_the_bias();

  std::atomic<const void*> favourite_{nullptr};
  std::atomic<std::uint32_t> inside_{0}; // the favourite, by its own word
  bool plain_ = false;                   // how the lock is held; written by its holder
  std::uint32_t streak_ = 0;             // plain locks in a row by `last_`
  const void* last_ = nullptr;
  Mutex mutex_;
};

} // namespace datum
