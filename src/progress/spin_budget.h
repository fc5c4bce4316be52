// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/spin_budget.h: whether a wait should poll for a moment before it sleeps.
// Lives here: the decision, learnt from how long recent waits took.
// Not here:   clocks, and whether there is a core to spare: the owner says so once.
#pragma once

#include "base/time.h"

namespace datum {

class SpinBudget {
 public:
  // A sleep and its wake-up cost about 15 us: polling for longer than that wastes more than it
  // saves.
  static constexpr Duration kLimit = 20 * kMicrosecond;
  // A wait that slept reports its wake-up, too; it would have ended within the limit had it polled.
  static constexpr Duration kShort = 50 * kMicrosecond;

  explicit SpinBudget(bool core_to_spare) : core_to_spare_(core_to_spare) {}

  bool worth_it() const { return core_to_spare_ && credit_ > 0; }
  // A wait ended, with its event or without, after `waited`.
  void learn(Duration waited) {
    if (waited <= kShort)
      credit_ = credit_ < kMost ? credit_ + 1 : kMost;
    else
      credit_ = credit_ > kLeast ? credit_ - 1 : kLeast;
  }

 private:
  // Few long waits end the polling, few short ones bring it back.
  static constexpr int kMost = 4;
  static constexpr int kLeast = -2;
  bool core_to_spare_;
  int credit_ = 1;
};

} // namespace datum
