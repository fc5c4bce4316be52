// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/background_loop.h: what the background thread does: it naps while other threads poll,
// owns the bell while no other thread does, and is parked while a waiter sleeps there.
// Not here: the thread itself (background_thread.h), how long a nap is (nap_plan.h), what a turn
//           does (transport_driver.h).
// Threads:  announce() and retract() hold the adapter's lock; run() and request_stop() take it.
#pragma once

#include <atomic>

#include "progress/nap_plan.h"
#include "progress/transport_driver.h"

namespace datum {

class BackgroundLoop {
 public:
  BackgroundLoop(LockOwner& lock, Places& places, TransportDriver& driver)
      : lock_(lock), places_(places), driver_(driver) {}
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;

  // There will be a thread; there is none after all.
  void announce();
  void retract() { driver_.handover().bell().background_gone(); }
  // In that thread, until request_stop().
  void run();
  void request_stop();

 private:
  enum class NapEnd : std::uint8_t { AsPlanned, Rung, Wanted };
  enum class Nap : std::uint8_t {
    Looked,
    Poked, // a waiter has left, or a thread has started to poll
    Rung,
    Quiet, // other threads are no longer busy
  };

  Nap pass(Nap last);
  Nap nap();
  NapEnd nap_once();
  bool wanted() const;
  bool somebody_polls() const;
  bool others_look();
  Nap look_after_bell();
  Nap sleep(bool with_bell, Instant until);

  LockOwner& lock_;
  Places& places_;
  TransportDriver& driver_;
  NapPlan plan_;
  std::atomic<bool> stopping_{false};
};

} // namespace datum
