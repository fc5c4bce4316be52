// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/habits.h: what both sides do, whatever carries it: the same loops drive DAT and the
// limits.
#pragma once

#include <cstdint>

#include "waiting/cell.h"
#include "waiting/pair.h"

namespace waiting {

// Whoever posts. Operations are numbered from 1, and each brings its number along.
class InitiatorEnd {
 public:
  virtual ~InitiatorEnd() = default;
  virtual void post(std::uint64_t number) = 0;
  // Looks once: the operation posted last has ended.
  virtual bool completed() = 0;
  // Nothing is measured any more: a target that sleeps wakes up.
  virtual void wake_target() = 0;
};

class TargetEnd {
 public:
  virtual ~TargetEnd() = default;
  virtual void poll() = 0;
  virtual void poll_elsewhere() = 0;
  virtual void sleep() = 0;
  virtual void sleep_by_cno() = 0;
  // The number that an operation has brought into memory, without a call.
  virtual std::uint64_t word() const = 0;
  // The number that a poll has told of; for what polls do not tell of, as word().
  virtual std::uint64_t polled() const = 0;
  // A change of habit. A program over DAT does not announce it.
  virtual void stops_polling() {}
  virtual void polls_again() {}
};

// Until `bounds` are reached. The target is told to stop.
Figures post_again_and_again(InitiatorEnd& end, Place& place, const Cell& cell,
                             const Bounds& bounds);
// Until it is told to stop.
void keep_to_habit(TargetEnd& end, Place& place, const Cell& cell);

} // namespace waiting
