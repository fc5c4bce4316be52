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

  // A thread polls all the time. False: peers know, or no background thread would notice the end.
  bool start_polling();
  // True: work may have come meanwhile; look again.
  bool stop_polling();

  void carry_out(const WakeUps& wake_ups);
  void wake() { carry_out(doorbell_.wake_any()); }
  // The lock is held, or the background thread has ended and the adapter is taken down.
  bool is_exclusive() const {
    return lock_.held() || doorbell_.background() == Doorbell::Background::Absent;
  }
  // The caller holds the lock again, after a sleep.
  void on_waiter_woke(Sleeper& me) {
    if (doorbell_.woke(me)) places_.take_back_owner_wake_up();
  }
  // True: it was woken.
  bool on_background_woke();

 private:
  LockOwner& lock_;
  Places& places_;
  Transport* transport_ = nullptr;
  Doorbell doorbell_;
};

} // namespace datum
