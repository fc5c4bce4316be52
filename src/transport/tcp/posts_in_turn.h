// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/posts_in_turn.h: whether the consumer of a connection posts a single request or
// several between two turns of the adapter. A consumer that has posted several is expected to do so
// again.
// Not here: how soon the poster polls again (posting_habit.h).
// Threads:  the adapter's lock.
#pragma once

#include <cstdint>
#include <utility>

namespace datum {

class PostsInTurn {
 public:
  // Counts a request that was posted. True: it is the first request of this turn, and the last turn
  // with requests had a single one.
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
