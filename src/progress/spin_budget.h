// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/spin_budget.h: whether a wait should poll for a moment before it sleeps.
// Lives here: the decision, learnt from how long recent waits took.
// Not here:   clocks, and whether the process has a spare core (the owner passes that once).
#pragma once

#include "core/port/waiting.h"

namespace datum {

class SpinBudget {
 public:
  explicit SpinBudget(bool core_to_spare) : core_to_spare_(core_to_spare) {}

  // True: the wait should poll. Asked once for each wait. After polling has been in vain a few
  // times, it is tried only now and then, because polling in vain delays the wake-up. After such a
  // poll the event often comes just after the processor has begun to sleep, and then the processor
  // takes longest to wake.
  bool worth_it() {
    if (!core_to_spare_) return false;
    if (credit_ > 0) return true;
    if (++not_tried_ < kTryAfter) return false;
    not_tried_ = 0;
    return true;
  }
  // Called after a wait that took `waited`, with or without its event. `polled`: the wait began
  // with polling.
  void learn(bool polled, Duration waited) {
    if (waited <= waiting::kSpin)
      credit_ = kMost;
    else if (polled && credit_ > 0)
      --credit_;
  }

 private:
  static constexpr int kMost = 4;
  static constexpr int kTryAfter = 64;
  bool core_to_spare_;
  int credit_ = 1;
  int not_tried_ = 0;
};

} // namespace datum
