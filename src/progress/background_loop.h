// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/background_loop.h: what the background thread does. It backs off while other threads
// poll, is parked while a waiter owns the doorbell, and otherwise owns the doorbell itself.
// Not here: the thread itself (background_thread.h), how long a backoff is (backoff_plan.h),
//           polling before a sleep (linger.h), what a turn does (transport_driver.h).
// Threads:  the caller of announce() and retract() holds the adapter's lock; run() and
//           request_stop() take it.
#pragma once

#include <atomic>

#include "progress/backoff_plan.h"
#include "progress/linger.h"
#include "progress/transport_driver.h"

namespace datum {

class BackgroundLoop {
 public:
  // `polls`: the adapter's progress, through which the consumer's threads poll, too.
  BackgroundLoop(LockOwner& lock, Places& places, TransportDriver& driver, Progress& polls)
      : lock_(lock), places_(places), driver_(driver), linger_(lock, places, driver, polls) {}
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;

  // announce(): the background thread is about to start. retract(): its start has failed.
  void announce();
  void retract() { driver_.handover().doorbell().background_gone(); }
  // Called in the background thread. Returns after request_stop().
  void run();
  void request_stop();

 private:
  enum class BackoffEnd : std::uint8_t { AsPlanned, Rung, Wanted };
  enum class PassEnd : std::uint8_t {
    Looked, // a turn has found work
    Woken,  // a wake-up came: a waiter has left, or a thread has started to poll
    Worked, // the pass has handled what was ready; the next pass looks again
    Quiet,  // other threads are no longer busy
  };

  PassEnd pass(PassEnd last);
  PassEnd back_off();
  BackoffEnd back_off_once();
  bool must_end_backoff() const;
  bool other_thread_polls() const;
  bool let_others_look();
  bool linger();
  PassEnd look_after_doorbell();
  PassEnd sleep(bool with_doorbell, Instant until);

  LockOwner& lock_;
  Places& places_;
  TransportDriver& driver_;
  BackoffPlan plan_;
  Linger linger_;
  std::atomic<bool> stopping_{false};
};

} // namespace datum
