// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/linger.h: a thread of a limit polls for a moment before it sleeps, if that has paid
// lately. A peer that waits for each answer posts again sooner than a sleeping thread could run.
#pragma once

#include <algorithm>

#include "waiting/clock.h"

namespace waiting {

class Linger {
 public:
  // True: `poll` has returned true within the moment.
  template <class Poll>
  bool poll(Poll&& poll) {
    if (credit_ == 0 && ++not_tried_ < try_after_) return false;
    not_tried_ = 0;
    const std::int64_t end = now() + kMoment;
    do {
      if (!poll()) continue;
      credit_ = kMost;
      try_after_ = kTryAfter;
      return true;
    } while (now() < end);
    if (credit_ > 0)
      --credit_;
    else
      try_after_ = std::min(2 * try_after_, kTryAfterMost);
    return false;
  }

 private:
  static constexpr std::int64_t kMoment = 4 * kMicrosecond;
  // This many moments in vain end the polling. Then one of so many sleeps tries again.
  static constexpr int kMost = 4;
  static constexpr int kTryAfter = 64;
  static constexpr int kTryAfterMost = 4096;
  int credit_ = 0;
  int not_tried_ = 0;
  int try_after_ = kTryAfter;
};

} // namespace waiting
