// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/posting_habit.h: whether a thread that posts to this adapter usually polls soon
// afterwards. If it does, requests may wait for the poll, and leave together. Otherwise each
// request leaves within the call that posts it: the last request has to leave within 100 us, even
// if its poster makes no further call (decision 312).
// Threads: the adapter's lock.
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

class PostingHabit {
 public:
  bool comes_back_soon() const { return times_ == waiting::kSoonInARow; }
  // True: a request was posted, and no thread has polled since.
  bool waits() const { return posted_ != kNever; }
  void posted(Instant now) {
    posted_ = now;
    further_ = 0;
  }
  // One more request was posted right after the last one.
  void posted_another() { ++further_; }
  // A thread polls: the poster, or the background thread.
  void looked(Instant now) {
    times_ = now - posted_ > waiting::kSoon + further_ * waiting::kOnePost
                 ? 0
                 : std::min(times_ + 1, waiting::kSoonInARow);
    posted_ = kNever;
  }

 private:
  Instant posted_ = kNever;
  unsigned further_ = 0;
  unsigned times_ = 0; // polls in a row that came soon after a post
};

} // namespace datum
