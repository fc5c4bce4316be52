// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_progress.h: waiting in a simulated world. PureSimProgress waits in virtual
// time, in one thread that does everything; DrivenSimProgress waits in real time, with a driver
// beside the program's threads.
// Threads:    the adapter's lock.
#pragma once

#include "core/port/progress.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "transport/sim/sim_driver.h"
#include "transport/sim/virtual_time.h"

namespace datum {

// The parts of the adapter that both kinds of progress need.
struct SimProgressParts {
  LockOwner& lock;
  Transport& transport;
  TimerQueue& timers;
};

// A wait runs the whole world. If nothing can happen before the deadline, the clock jumps to the
// deadline. If there is no deadline and nothing can happen, the wait returns Interrupted.
class PureSimProgress final : public Progress {
 public:
  PureSimProgress(const SimProgressParts& parts, SimWorld& world, VirtualTime& time)
      : parts_(parts), world_(world), time_(time) {}
  bool poll() override;
  WaitResult wait(WaitPoint& point, Instant deadline) override;
  void signal(WaitPoint& point) override { point.signalled = true; }
  void wake() override { wake_wanted_ = true; }
  Instant now() override { return world_.now(); }
  bool take_wake() { return std::exchange(wake_wanted_, false); }

 private:
  SimProgressParts parts_;
  SimWorld& world_;
  VirtualTime& time_;
  bool wake_wanted_ = false;
};

class DrivenSimProgress final : public Progress {
 public:
  DrivenSimProgress(const SimProgressParts& parts, SimDriver& driver)
      : parts_(parts), driver_(driver) {}
  bool poll() override;
  WaitResult wait(WaitPoint& point, Instant deadline) override;
  void signal(WaitPoint& point) override;
  void wake() override { driver_.wake(); }
  Instant now() override { return SimDriver::real_now(); }

 private:
  SimProgressParts parts_;
  SimDriver& driver_;
};

} // namespace datum
