// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/arrival_looks.h: TCP does not report an acknowledgement. A session asks it, ever
// more seldom.
#pragma once

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace datum::iwarp {

class ArrivalLooks {
 public:
  static constexpr Duration kLeastBetween = kMillisecond;
  static constexpr Duration kMostBetween = 32 * kMillisecond;

  // When to look again.
  Instant after(Instant now) {
    return now + std::exchange(between_, std::min(2 * between_, kMostBetween));
  }

 private:
  Duration between_ = kLeastBetween;
};

} // namespace datum::iwarp
