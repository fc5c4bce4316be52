// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/spin_budget.h: whether a thread should poll for a moment before it sleeps, or give up a
// core that a peer shares.
// Lives here: the decision, learnt from how long recent waits took, or from what recent tries found.
// Not here:   clocks, and whether the process has a spare core (the owner passes that once).
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

class SpinBudget {
 public:
  // `longest`: how long the thread polls before it sleeps. Without a core to spare, a wait that
  // slept shows nothing, however short it was: the peer may need the very core on which this thread
  // would have polled. So there only polling shows whether polling pays.
  SpinBudget(Duration longest, bool core_to_spare)
      : longest_(longest), core_to_spare_(core_to_spare), credit_(core_to_spare ? 1 : 0) {}

  // True: the thread should poll (or give up the core). Asked once for each wait (or poll in vain).
  // After that has been in vain a few times, it is tried only now and then, because it has a price:
  // polling in vain delays the wake-up, since the event often comes just after the processor has
  // begun to sleep, and then the processor takes longest to wake. Without a core to spare, each try
  // in vain doubles the waits until the next.
  bool worth_it() {
    if (credit_ > 0) return true;
    if (++not_tried_ < try_after_) return false;
    not_tried_ = 0;
    if (!core_to_spare_) try_after_ = std::min(2 * try_after_, kTryAfterMost);
    return true;
  }
  // Called after a wait that took `waited`, with or without its event. `polled`: the wait began
  // with polling.
  void learn(bool polled, Duration waited) {
    if (waited > longest_) {
      if (polled) was_in_vain();
    } else if (polled || core_to_spare_) {
      paid();
    }
  }
  void paid() {
    credit_ = kMost;
    try_after_ = kTryAfter;
  }
  void was_in_vain() { credit_ = std::max(credit_ - 1, 0); }

 private:
  static constexpr int kMost = 4;
  static constexpr int kTryAfter = 64;
  static constexpr int kTryAfterMost = 4096;
  const Duration longest_;
  const bool core_to_spare_;
  int credit_;
  int not_tried_ = 0;
  int try_after_ = kTryAfter;
};

} // namespace datum
