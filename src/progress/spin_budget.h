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

  // To be asked once for each wait. Once polling has been in vain a few times, it is tried now and
  // then only: in vain it costs a wake-up its haste, since a processor that has just begun to sleep
  // wakes latest.
  bool worth_it() {
    if (!core_to_spare_) return false;
    if (credit_ > 0) return true;
    if (++not_tried_ < kTryAfter) return false;
    not_tried_ = 0;
    return true;
  }
  // A wait ended, with its event or without, after `waited`; it began with polling, or not.
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
