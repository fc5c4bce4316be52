// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/posting_habit.h: whether those who post come back soon. Then requests may wait for
// that, and leave together; anybody else's leave with the calls that post them, since the last one
// has to leave within 100 us though its poster calls nothing more (decision 312).
// Threads: the adapter's lock.
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

class PostingHabit {
 public:
  bool comes_back_soon() const { return times_ == waiting::kSoonInARow; }
  // Something was posted, and nobody has looked since.
  bool waits() const { return posted_ != kNever; }
  void posted(Instant now) {
    posted_ = now;
    further_ = 0;
  }
  // One more, at once.
  void posted_another() { ++further_; }
  // Somebody looks, be it the poster or a thread of ours.
  void looked(Instant now) {
    times_ = now - posted_ > waiting::kSoon + further_ * waiting::kOnePost
                 ? 0
                 : std::min(times_ + 1, waiting::kSoonInARow);
    posted_ = kNever;
  }

 private:
  Instant posted_ = kNever;
  unsigned further_ = 0;
  unsigned times_ = 0; // in a row
};

} // namespace datum
