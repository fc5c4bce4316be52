// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/pending_look.h: whether work was left behind for which a thread has to look(), and by
// when, if the background thread backs off.
// Lives here: what the thread that leaves work behind and the background thread tell each other.
// Not here:   which thread is woken (handover.h), how long a backoff is (backoff_plan.h).
// Threads:    as each part says. A thread that calls look() or poll() holds the lock.
#pragma once

#include <atomic>

#include "base/time.h"

namespace datum {

class PendingLook {
 public:
  // is_wanted() and is_urgent() may be called without the lock, too.
  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }
  // True: a thread has to look within 100 us.
  bool is_urgent() const { return urgent_.load(std::memory_order_relaxed); }

  // --- with the lock -----------------------------------------------------------------------------
  // False: a look was wanted already, so a thread is about to look.
  bool want() {
    if (is_wanted()) return false;
    wanted_.store(true, std::memory_order_relaxed);
    return true;
  }
  void make_urgent() { urgent_.store(true, std::memory_order_relaxed); }
  // Called by a thread as it begins to look.
  void clear() {
    wanted_.store(false, std::memory_order_relaxed);
    urgent_.store(false, std::memory_order_relaxed);
  }
  // Called after want(). True: the backoff ends later than `by`, and no thread has shortened it so
  // far. The background thread stores the end of its backoff, then checks is_wanted(). The caller
  // has called want(), and now reads the end of the backoff. So one of the two sees the other's
  // store.
  bool must_shorten_backoff(Instant by) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (backoff_shortened_.load(std::memory_order_relaxed) ||
        backoff_end_.load(std::memory_order_relaxed) <= by)
      return false;
    backoff_shortened_.store(true, std::memory_order_relaxed);
    return true;
  }

  // --- the background thread, without the lock --------------------------------------------------
  void begin_backoff(Instant end) { backoff_end_.store(end, std::memory_order_relaxed); }
  // Called before the thread sleeps until the end of its backoff. After this call it checks whether
  // a look is wanted.
  void begin_sleep() {
    backoff_shortened_.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // see must_shorten_backoff()
  }

 private:
  std::atomic<bool> wanted_{false}; // set since the last poll() or look()
  std::atomic<bool> urgent_{false};
  // Written by the background thread as it begins to back off, read with the lock.
  std::atomic<Instant> backoff_end_{0};
  std::atomic<bool> backoff_shortened_{false}; // a thread has shortened the current backoff
};

} // namespace datum
