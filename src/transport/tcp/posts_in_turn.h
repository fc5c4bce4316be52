// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/posts_in_turn.h: whether the requests of one connection are posted one by one,
// between two turns of its adapter. A consumer that has posted several will do it again.
// Not here: how soon the poster looks again (posting_habit.h).
// Threads:  the adapter's lock.
#pragma once

#include <cstdint>
#include <utility>

namespace datum {

class PostsInTurn {
 public:
  // One more request was posted. True: it is the first one in this turn, and the last turn with
  // requests had only one.
  bool add(std::uint64_t turn) {
    if (turn_ != turn) {
      turn_ = turn;
      several_ = std::exchange(count_, 0) > 1;
    }
    return ++count_ == 1 && !several_;
  }

 private:
  bool several_ = false;
  std::uint32_t count_ = 0;
  std::uint64_t turn_ = 0;
};

} // namespace datum
