// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/peer_habit.h: whether a peer takes small Writes from the ring soon.
// Lives here: counting how many Writes go directly. A peer that says that it polls may only spin on
//             its memory, and a Write in the ring is not in its memory yet (docs/design/waiting.md,
//             "a peer that leaves Writes lying").
// Not here:   the peer's sleep epoch, and when it is rung (link.h).
// Threads:    the adapter's lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace datum {

class PeerHabit {
 public:
  // After the peer took a record too late, so many requests go directly: from kFirst to kMost.
  static constexpr std::uint32_t kFirst = 16;
  static constexpr std::uint32_t kMost = 4096;

  bool leaves_writes_lying() const { return direct_left_ != 0; }
  // The peer had to be rung for a record although it says that it polls. `published` counts the
  // records so far. When it happens again, the count starts at kFirst if more records than the last
  // count have gone through the ring since then. Otherwise it doubles, up to kMost.
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
