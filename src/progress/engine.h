// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/engine.h: drives one adapter's transport. The driver is a thread that polls or, if none
// polls, a waiter that sleeps at the doorbell or, if there is none, the background thread.
// Lives here: the parts, and waking a thread for work that a call has left behind.
// Not here:   a turn (transport_driver.h), a consumer's wait (consumer_wait.h), the background
//             thread's work (background_loop.h), starting the thread (threaded_progress.h).
// Threads:    the caller holds the adapter's lock, except for run_background() and request_stop().
#pragma once

#include "progress/background_loop.h"
#include "progress/consumer_wait.h"
#include "progress/transport_driver.h"

namespace datum {

class ProgressEngine : public Progress {
 public:
  ProgressEngine(LockOwner& lock, Places& places)
      : places_(places), driver_(lock, places), wait_(lock, places, driver_, *this),
        background_(lock, places, driver_, *this) {}
  // Called before anything else.
  void bind(Transport& transport, TimerQueue& timers) { driver_.bind(transport, timers); }

  bool poll() final;
  WaitResult wait(WaitPoint& point, Instant deadline) final { return wait_.wait(point, deadline); }
  void signal(WaitPoint& point) final { wait_.signal(point); }
  void wake() final;
  void wake_promptly() final;
  void copying() final { driver_.meter().begin_copy(); }
  void copied(std::uint64_t octets) final { driver_.meter().end_copy(octets); }
  Instant now() final { return places_.now(); }

  // announce_background() and retract_background() are called with the lock held, run_background()
  // without it.
  void announce_background() { background_.announce(); }
  void retract_background() { background_.retract(); }
  void run_background() { background_.run(); }
  // Makes run_background() return soon. The caller does not hold the lock.
  void request_stop() { background_.request_stop(); }

 private:
  Places& places_;
  TransportDriver driver_;
  ConsumerWait wait_;
  BackgroundLoop background_;
};

} // namespace datum
