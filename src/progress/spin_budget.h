// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/spin_budget.h: whether a thread should do something that pays only now and then, such as
// polling for a moment before it sleeps.
// Lives here: the decision, learnt from recent tries, or from how long recent waits took.
// Not here:   clocks, and whether the process has a spare core (the owner passes that once).
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

// After a few tries in vain in a row, a try is made only now and then.
class TryBudget {
 public:
  enum class InVain : unsigned char {
    KeepPace, // one of 64 occasions is a try
    SlowDown, // each try in vain doubles the occasions until the next one, up to 4,096
  };
  // `credit`: how many tries may be in vain in the beginning.
  TryBudget(int credit, InVain in_vain) : in_vain_(in_vain), credit_(credit) {}

  // True: the thread should try. Asked once for each occasion.
  bool worth_it() {
    if (credit_ > 0) return true;
    if (++not_tried_ < try_after_) return false;
    not_tried_ = 0;
    if (in_vain_ == InVain::SlowDown) try_after_ = std::min(2 * try_after_, kTryAfterMost);
    return true;
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
  const InVain in_vain_;
  int credit_;
  int not_tried_ = 0;
  int try_after_ = kTryAfter;
};

// Whether a wait polls before it sleeps. Polling in vain delays the wake-up: the event often comes
// just after the processor has begun to sleep, and then the processor takes longest to wake.
class SpinBudget {
 public:
  // `longest`: how long the thread polls before it sleeps. Without a core to spare, a wait that
  // slept shows nothing, however short it was: the peer may need the very core on which this thread
  // would have polled. So there only polling shows whether polling pays, and tries become seldom.
  SpinBudget(Duration longest, bool core_to_spare)
      : longest_(longest), core_to_spare_(core_to_spare),
        tries_(core_to_spare ? 1 : 0,
               core_to_spare ? TryBudget::InVain::KeepPace : TryBudget::InVain::SlowDown) {}

  // True: the thread should poll. Asked once for each wait.
  bool worth_it() { return tries_.worth_it(); }
  // Called after a wait that took `waited`, with or without its event. `polled`: the wait began
  // with polling.
  void learn(bool polled, Duration waited) {
    if (waited > longest_) {
      if (polled) tries_.was_in_vain();
    } else if (polled || core_to_spare_) {
      tries_.paid();
    }
  }

 private:
  const Duration longest_;
  const bool core_to_spare_;
  TryBudget tries_;
};

} // namespace datum
