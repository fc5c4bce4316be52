// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/posting_habit.h: whether posters of this adapter look again soon. If so, requests
// may wait for the look, and leave together. Otherwise each request leaves with the call that posts
// it, since the last one has to leave within 100 us though its poster calls nothing more (decision
// 312).
// Threads: the adapter's lock.
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

class PostingHabit {
 public:
  bool comes_back_soon() const { return times_ == waiting::kSoonInARow; }
  // True: a request was posted, and no thread has looked since.
  bool waits() const { return posted_ != kNever; }
  void posted(Instant now) {
    posted_ = now;
    further_ = 0;
  }
  // One more request was posted at once.
  void posted_another() { ++further_; }
  // A thread looks: the poster's, or the background thread.
  void looked(Instant now) {
    times_ = now - posted_ > waiting::kSoon + further_ * waiting::kOnePost
                 ? 0
                 : std::min(times_ + 1, waiting::kSoonInARow);
    posted_ = kNever;
  }

 private:
  Instant posted_ = kNever;
  unsigned further_ = 0;
  unsigned times_ = 0; // looks in a row that came soon
};

} // namespace datum
