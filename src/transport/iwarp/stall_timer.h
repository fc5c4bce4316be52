// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/stall_timer.h: notices an FPDU that has begun and does not go on. If the length
// of an FPDU was damaged on the way, the missing octets may never come. The CRC cannot show the
// damage, since it comes behind the missing octets.
#pragma once

#include "base/time.h"

namespace datum::iwarp {

class StallTimer {
 public:
  // More than one: when a stopped process goes on, the timer expires before the octets that have
  // arrived meanwhile are read. A single check would take this for a stall.
  static constexpr int kChecks = 4;

  explicit StallTimer(Duration limit) : between_(limit / kChecks) {}

  // Octets were read; `at_boundary`: up to the end of an FPDU. The timer is not set for each piece
  // of an FPDU. It runs until it expires at the end of an FPDU.
  void on_octets(Instant now, bool at_boundary) {
    checks_ = 0;
    if (next_ == kNever && !at_boundary) next_ = now + between_;
  }
  Instant deadline() const { return next_; }
  // The deadline has come; `held`: this side does not take the octets that have arrived. True: the
  // stream is lost.
  bool on_time(Instant now, bool at_boundary, bool held) {
    next_ = kNever;
    if (at_boundary) return false;
    next_ = now + between_;
    return !held && ++checks_ > kChecks;
  }

 private:
  const Duration between_;
  Instant next_ = kNever;
  int checks_ = 0; // how many checks have found no new octets
};

} // namespace datum::iwarp
