// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/arrival_looks.h: when to ask TCP whether the peer has acknowledged octets. TCP
// does not report an acknowledgement by itself. The time from one question to the next grows.
#pragma once

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace datum::iwarp {

class ArrivalLooks {
 public:
  static constexpr Duration kLeastBetween = kMillisecond;
  static constexpr Duration kMostBetween = 32 * kMillisecond;

  // When to ask again.
  Instant after(Instant now) {
    return now + std::exchange(between_, std::min(2 * between_, kMostBetween));
  }

 private:
  Duration between_ = kLeastBetween;
};

} // namespace datum::iwarp
