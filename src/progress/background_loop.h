// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/background_loop.h: what the background thread does: it backs off while other threads
// poll, owns the doorbell while no other thread does, and is parked while a waiter sleeps there.
// Not here: the thread itself (background_thread.h), how long a backoff is (backoff_plan.h), what a
//           turn does (transport_driver.h).
// Threads:  announce() and retract() hold the adapter's lock; run() and request_stop() take it.
#pragma once

#include <atomic>

#include "progress/backoff_plan.h"
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
  void retract() { driver_.handover().doorbell().background_gone(); }
  // In that thread, until request_stop().
  void run();
  void request_stop();

 private:
  enum class BackoffEnd : std::uint8_t { AsPlanned, Rung, Wanted };
  enum class PassEnd : std::uint8_t {
    Looked, // a look has found work
    Woken,  // a waiter has left, or a thread has started to poll
    Worked, // the pass has handled what there was; the next one looks again
    Quiet,  // other threads are no longer busy
  };

  PassEnd pass(PassEnd last);
  PassEnd back_off();
  BackoffEnd back_off_once();
  bool must_end_backoff() const;
  bool other_thread_polls() const;
  bool let_others_look();
  PassEnd look_after_doorbell();
  PassEnd sleep(bool with_doorbell, Instant until);

  LockOwner& lock_;
  Places& places_;
  TransportDriver& driver_;
  BackoffPlan plan_;
  std::atomic<bool> stopping_{false};
};

} // namespace datum
