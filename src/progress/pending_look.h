// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/pending_look.h: work was left behind, and a thread has to look; by when, while the
// background thread backs off.
// Lives here: what the thread that leaves it behind and the one that backs off tell each other.
// Not here:   which thread is woken (handover.h), how long a backoff is (backoff_plan.h).
// Threads:    as each part says. A thread that looks holds the lock.
#pragma once

#include <atomic>

#include "base/time.h"

namespace datum {

class PendingLook {
 public:
  // Without the lock, too.
  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }
  // Within 100 us.
  bool is_urgent() const { return urgent_.load(std::memory_order_relaxed); }

  // --- with the lock -----------------------------------------------------------------------------
  // False: a thread is about to look.
  bool want() {
    if (is_wanted()) return false;
    wanted_.store(true, std::memory_order_relaxed);
    return true;
  }
  void make_urgent() { urgent_.store(true, std::memory_order_relaxed); }
  // A thread looks now.
  void clear() {
    wanted_.store(false, std::memory_order_relaxed);
    urgent_.store(false, std::memory_order_relaxed);
  }
  // want() came before. The background thread publishes when its backoff ends, then checks whether
  // a look is wanted. This thread wants one, then checks when the backoff ends. True: it ends later
  // than `by`, and no thread has shortened it so far.
  bool must_shorten_backoff(Instant by) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (backoff_shortened_.load(std::memory_order_relaxed) ||
        backoff_end_.load(std::memory_order_relaxed) <= by)
      return false;
    backoff_shortened_.store(true, std::memory_order_relaxed);
    return true;
  }

  // --- the background thread, without it ---------------------------------------------------------
  void begin_backoff(Instant end) { backoff_end_.store(end, std::memory_order_relaxed); }
  // It is about to sleep until then, and asks afterwards whether a look is wanted.
  void begin_sleep() {
    backoff_shortened_.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // see must_shorten_backoff()
  }

 private:
  std::atomic<bool> wanted_{false}; // since the last poll or look
  std::atomic<bool> urgent_{false};
  // Written by the background thread as it begins to back off, read with the lock.
  std::atomic<Instant> backoff_end_{0};
  std::atomic<bool> backoff_shortened_{false}; // the current backoff has been told to end sooner
};

} // namespace datum
