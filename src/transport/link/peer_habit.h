// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/peer_habit.h: whether a peer takes small Writes from the ring soon.
// Lives here: counting the Writes that are still to be copied directly. A peer that reports that it
//             polls may only spin on its memory, and a Write in the ring is not in that memory yet
//             (docs/design/waiting.md, "a peer that leaves Writes lying").
// Not here:   the peer's sleep epoch, and when it is rung (link.h).
// Threads:    the adapter's lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace datum {

class PeerHabit {
 public:
  // How many requests go directly after the peer has taken a record too late: kFirst at first,
  // kMost at most.
  static constexpr std::uint32_t kFirst = 16;
  static constexpr std::uint32_t kMost = 4096;

  bool leaves_writes_lying() const { return direct_left_ != 0; }
  // Called if the peer had to be rung for a record although it reports that it polls. `published`:
  // how many records were published so far. If more records than the last count have gone through
  // the ring since the last call, the new count is kFirst. Otherwise the count doubles, up to
  // kMost.
  void left_lying(std::uint64_t published) {
    if (published - published_then_ > direct_last_) direct_last_ = 0;
    direct_last_ = direct_last_ == 0 ? kFirst : std::min(2 * direct_last_, kMost);
    direct_left_ = direct_last_;
    published_then_ = published;
  }
  void wrote_directly() {
    if (direct_left_ != 0) --direct_left_;
  }

 private:
  std::uint32_t direct_left_ = 0;
  std::uint32_t direct_last_ = 0; // the count after the last late record
  std::uint64_t published_then_ = 0;
};

} // namespace datum
