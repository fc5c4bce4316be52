// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/mutex.h: a lock, and Clang's annotations for it. The lock of an adapter is in
// biased_mutex.h.
// Threads: uncontended lock and unlock are one atomic operation each; a contended locker
//          spins briefly and then sleeps in the kernel.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/assertion.h"

#if defined(__clang__)
#define DATUM_TSA(x) __attribute__((x))
#else
#define DATUM_TSA(x)
#endif
#define DATUM_CAPABILITY(x) DATUM_TSA(capability(x))
#define DATUM_SCOPED_CAPABILITY DATUM_TSA(scoped_lockable)
#define DATUM_GUARDED_BY(x) DATUM_TSA(guarded_by(x))
#define DATUM_REQUIRES(...) DATUM_TSA(requires_capability(__VA_ARGS__))
#define DATUM_ACQUIRE(...) DATUM_TSA(acquire_capability(__VA_ARGS__))
#define DATUM_RELEASE(...) DATUM_TSA(release_capability(__VA_ARGS__))
#define DATUM_TRY_ACQUIRE(...) DATUM_TSA(try_acquire_capability(__VA_ARGS__))
#define DATUM_EXCLUDES(...) DATUM_TSA(locks_excluded(__VA_ARGS__))
#define DATUM_NO_TSA DATUM_TSA(no_thread_safety_analysis)

namespace datum {

class DATUM_CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() DATUM_ACQUIRE() {
    std::uint32_t free = kFree;
    if (!word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire)) lock_slow();
  }
  bool try_lock() DATUM_TRY_ACQUIRE(true) {
    std::uint32_t free = kFree;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire);
  }
  void unlock() DATUM_RELEASE() {
    const std::uint32_t before = word_.exchange(kFree, std::memory_order_release);
    DATUM_ASSERT(before == kHeld || before == kContended);
    if (before == kContended) wake_one();
  }
  // Unlocks, and locks again. A thread that sleeps for the lock gets it in between. Without this, a
  // thread that unlocks for a moment locks again long before a sleeper has woken up.
  void let_in() DATUM_NO_TSA;
  // True: a thread sleeps for the lock, or slept for it when the holder took it. A thread that
  // polls in a loop then calls let_in().
  bool contended() const { return word_.load(std::memory_order_relaxed) == kContended; }
  // True: some thread holds the lock.
  bool held() const {
    const std::uint32_t word = word_.load(std::memory_order_relaxed);
    return word == kHeld || word == kContended;
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kContended = 2;
  static constexpr std::uint32_t kPassedOn = 3; // free, but not for the thread that called let_in()

  void lock_slow() DATUM_NO_TSA;
  void lock_marked() DATUM_NO_TSA;
  void wake_one();

  std::atomic<std::uint32_t> word_{kFree};
};

template <class M>
class DATUM_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(M& mutex) DATUM_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() DATUM_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  M& mutex_;
};

} // namespace datum
