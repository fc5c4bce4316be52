// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/spin_budget.h: whether a wait should poll for a moment before it sleeps.
// Lives here: the decision, learnt from how long recent waits took.
// Not here:   clocks, and whether there is a core to spare: the owner says so once.
#pragma once

#include "core/port/waiting.h"

namespace datum {

class SpinBudget {
 public:
  explicit SpinBudget(bool core_to_spare) : core_to_spare_(core_to_spare) {}

  // True: the wait should poll. Asked once for each wait. Once polling has been in vain a few
  // times, it is tried only now and then: polling in vain delays the wake-up. The event then often
  // comes just after the processor began to sleep, which is when it takes longest to wake.
  bool worth_it() {
    if (!core_to_spare_) return false;
    if (credit_ > 0) return true;
    if (++not_tried_ < kTryAfter) return false;
    not_tried_ = 0;
    return true;
  }
  // A wait ended after `waited`, with its event or without. `polled`: it began with polling.
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
