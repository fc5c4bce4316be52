// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/posting_habit.h: whether those who post come back soon. Then requests may wait for
// that, and leave together; anybody else's leave with the calls that post them, since the last one
// has to leave within 100 us though its poster calls nothing more (decision 312).
// Threads: the adapter's lock.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace datum {

class PostingHabit {
 public:
  // So soon somebody has to look after the last post: before a nap ends that somebody was in a
  // hurry about (progress/engine.h), since then it is not the poster who comes back.
  static constexpr Duration kSoon = 70 * kMicrosecond;
  // Of what followed a post without a look at the clock each takes less.
  static constexpr Duration kOnePost = 500;
  // So often in a row, until it is taken for a habit. Once they do not, it is none.
  static constexpr unsigned kEnough = 8;

  bool comes_back_soon() const { return times_ == kEnough; }
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
    times_ = now - posted_ > kSoon + further_ * kOnePost ? 0 : std::min(times_ + 1, kEnough);
    posted_ = kNever;
  }

 private:
  Instant posted_ = kNever;
  unsigned further_ = 0;
  unsigned times_ = 0; // in a row
};

} // namespace datum
