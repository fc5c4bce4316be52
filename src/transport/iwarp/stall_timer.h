// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/stall_timer.h: an FPDU that has begun, and of which nothing more comes.
// Where the length of an FPDU was changed on the way, what is missing may never come: the CRC that
// would show it is behind it.
#pragma once

#include "base/time.h"

namespace datum::iwarp {

class StallTimer {
 public:
  // More than one: of a process that was stopped all that came due meanwhile comes due as one,
  // before what has arrived meanwhile is read.
  static constexpr int kChecks = 4;

  explicit StallTimer(Duration limit) : between_(limit / kChecks) {}

  // Octets were read; `at_boundary`: to the end of an FPDU. It runs while an FPDU is not whole, and
  // once more: no timer is set for each piece of one.
  void on_octets(Instant now, bool at_boundary) {
    checks_ = 0;
    if (next_ == kNever && !at_boundary) next_ = now + between_;
  }
  Instant deadline() const { return next_; }
  // The deadline has come; `held`: there are octets that we do not take now. True: the stream is
  // lost.
  bool on_time(Instant now, bool at_boundary, bool held) {
    next_ = kNever;
    if (at_boundary) return false;
    next_ = now + between_;
    return !held && ++checks_ > kChecks;
  }

 private:
  const Duration between_;
  Instant next_ = kNever;
  int checks_ = 0; // in which nothing had come
};

} // namespace datum::iwarp
