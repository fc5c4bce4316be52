// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/consumer_wait.h: a wait of a consumer's thread. The thread polls for a moment, then
// sleeps at the doorbell or beside it.
// Not here: what a turn does (transport_driver.h), which thread owns the doorbell (doorbell.h),
//           whether polling pays (spin_budget.h), polling between two sleeps (linger.h).
// Threads:  the caller holds the adapter's lock, which is given up during sleep.
#pragma once

#include "progress/linger.h"
#include "progress/spin_budget.h"
#include "progress/transport_driver.h"

namespace datum {

class ConsumerWait {
 public:
  // `polls`: the adapter's progress, through which the consumer's other threads poll, too.
  ConsumerWait(LockOwner& lock, Places& places, TransportDriver& driver, Progress& polls)
      : lock_(lock), places_(places), driver_(driver), polls_(polls),
        spin_(waiting::kSpin, driver.has_core_to_spare()) {}
  ConsumerWait(const ConsumerWait&) = delete;
  ConsumerWait& operator=(const ConsumerWait&) = delete;

  WaitResult wait(WaitPoint& point, Instant deadline);
  // Ends the wait at `point`, if a thread waits there.
  void signal(WaitPoint& point);

 private:
  class Waiting;
  class Asleep;
  bool spin(const WaitPoint& point, Instant start, Instant deadline);
  WaitResult sleep(WaitPoint& point, Instant deadline);
  bool may_sleep(const WaitPoint& point, Instant lingers_until);
  Wake sleep_once(Sleeper& me, Instant deadline);
  bool may_leave_the_rest() const;
  void breathe();

  LockOwner& lock_;
  Places& places_;
  TransportDriver& driver_;
  Progress& polls_;
  SpinBudget spin_;
  Linger linger_{lock_, places_, driver_, polls_};
};

} // namespace datum
