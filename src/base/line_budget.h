// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/line_budget.h: how many lines may be written about the acts of peers, so that a hostile peer
// cannot fill a program's log.
// Not here:   writing, clocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace datum {

class LineBudget {
 public:
  // This many lines at once, and one more line each second.
  static constexpr std::int64_t kBurst = 20;

  bool take(Instant now) {
    if (now - filled_ >= kSecond) {
      left_ = std::min(kBurst, left_ + (now - filled_) / kSecond);
      filled_ = now;
    }
    if (left_ == 0) {
      ++left_out_;
      return false;
    }
    --left_;
    return true;
  }
  // Lines left out since the last call.
  std::uint64_t left_out() {
    const std::uint64_t count = left_out_;
    left_out_ = 0;
    return count;
  }

 private:
  std::int64_t left_ = kBurst;
  Instant filled_ = 0;
  std::uint64_t left_out_ = 0;
};

} // namespace datum
