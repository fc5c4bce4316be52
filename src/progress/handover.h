// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/handover.h: carries out what the doorbell decides: wakes threads, tells peers whether
// they have to ring.
// Not here: the decisions (doorbell.h), where threads sleep (places.h).
// Threads:  the adapter's lock.
#pragma once

#include "core/port/progress.h"
#include "core/port/transport.h"
#include "progress/places.h"

namespace datum {

class Handover {
 public:
  Handover(LockOwner& lock, Places& places) : lock_(lock), places_(places) {}
  void bind(Transport& transport) { transport_ = &transport; }

  Doorbell& doorbell() { return doorbell_; }
  const Doorbell& doorbell() const { return doorbell_; }
  bool is_polling() const { return doorbell_.polling(); }

  // Called by a thread that polls all the time. False: peers have been told already, or there is no
  // background thread that would notice the end of polling.
  bool start_polling();
  // As start_polling(), for a thread that will call stop_polling() itself. So a background thread
  // that is parked need not watch for the end of polling.
  bool start_lingering();
  // True: work may have come meanwhile, so the caller has to look again.
  bool stop_polling();

  void carry_out(const WakeUps& wake_ups);
  void wake() { carry_out(doorbell_.wake_any()); }
  // True: the lock is held, or no background thread runs.
  bool is_exclusive() const {
    return lock_.held() || doorbell_.background() == Doorbell::Background::Absent;
  }
  // Called after a sleep of the waiter, with the lock held again.
  void on_waiter_woke(Sleeper& me) {
    if (doorbell_.woke(me)) places_.take_back_owner_wake_up();
  }
  // Called after a sleep of the background thread, with the lock held again. True: it was sent a
  // wake-up.
  bool on_background_woke();

 private:
  bool begin_polling(WakeUps (Doorbell::*begin)());

  LockOwner& lock_;
  Places& places_;
  Transport* transport_ = nullptr;
  Doorbell doorbell_;
};

} // namespace datum
