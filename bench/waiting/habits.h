// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/habits.h: the loops of both sides. The same loops drive DAT and the limits.
#pragma once

#include <cstdint>

#include "waiting/cell.h"
#include "waiting/pair.h"

namespace waiting {

// The side that posts. Operations are numbered from 1, and each carries its number.
class InitiatorEnd {
 public:
  virtual ~InitiatorEnd() = default;
  virtual void post(std::uint64_t number) = 0;
  // Polls once. True: the operation that was posted last has ended.
  virtual bool completed() = 0;
  // Called when nothing more is measured. Wakes a target that sleeps.
  virtual void wake_target() = 0;
};

class TargetEnd {
 public:
  virtual ~TargetEnd() = default;
  virtual void poll() = 0;
  virtual void poll_elsewhere() = 0;
  virtual void sleep() = 0;
  virtual void sleep_by_cno() = 0;
  // The number that an operation has brought into memory, read without a call.
  virtual std::uint64_t word() const = 0;
  // The number that polls have found. For an operation that polls cannot find, the same as word().
  virtual std::uint64_t polled() const = 0;
  // Called when the target changes its habit. Only limits make use of that, because a program over
  // DAT does not announce such a change.
  virtual void stops_polling() {}
  virtual void polls_again() {}
};

// Posts until `bounds` are reached, and then makes the target stop.
Figures post_again_and_again(InitiatorEnd& end, Place& place, const Cell& cell,
                             const Bounds& bounds);
// Follows the habit until the initiator makes the target stop.
void keep_to_habit(TargetEnd& end, Place& place, const Cell& cell);

} // namespace waiting
