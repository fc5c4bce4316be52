// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the background thread does: it naps while others poll, owns the bell while nobody does, and
// is parked while a waiter sleeps there.
#include "progress/engine.h"

namespace datum {

void ProgressEngine::announce_background() {
  bell_.background_started();
  // From now on somebody sleeps at the bell unless peers are told otherwise; links that come later
  // learn it as they come.
  static_cast<void>(stop_polling());
}

void ProgressEngine::run_background() {
  lock_.acquire();
  Nap last = Nap::Poked;
  while (!stopping_.load(std::memory_order_relaxed)) last = background_pass(last);
  bell_.background_gone();
  // Nobody would notice the end of polling any more.
  if (bell_.polling()) static_cast<void>(stop_polling());
  lock_.relinquish();
}

void ProgressEngine::request_stop() {
  lock_.acquire();
  stopping_.store(true, std::memory_order_relaxed);
  if (bell_.background() != Bell::Background::Absent) carry_out(bell_.rouse_for_stop());
  lock_.relinquish();
}

ProgressEngine::Nap ProgressEngine::background_pass(Nap last) {
  if (kicked_.load(std::memory_order_relaxed)) {
    look();
    if (last == Nap::Poked) last = Nap::Rung;
  }
  const std::uint32_t polls = polls_.load(std::memory_order_relaxed) - polls_at_nap_;
  // Poked because a waiter left, or somebody started to poll: see for a tick what follows.
  if (last == Nap::Poked) return nap();
  if (bell_.polling()) {
    if (last != Nap::Tick || polls >= kBusyPolls) return nap();
    static_cast<void>(stop_polling()); // we look next anyway
  }
  if (look()) {
    breathe();
    return Nap::Looked;
  }
  return look_after_bell();
}

// Since the nap began somebody has polled all the time, or waited and come back: they will again.
// Rousing this thread at the end of every short wait would cost more than the wait.
bool ProgressEngine::others_are_busy() const {
  return polls_.load(std::memory_order_relaxed) - polls_at_nap_ >= kBusyPolls ||
         waits_.load(std::memory_order_relaxed) != waits_at_nap_;
}

void ProgressEngine::remember_others() {
  polls_at_nap_ = polls_.load(std::memory_order_relaxed);
  waits_at_nap_ = waits_.load(std::memory_order_relaxed);
}

ProgressEngine::Nap ProgressEngine::nap() {
  bell_.nap();
  remember_others();
  lock_.relinquish();
  for (;;) {
    places_.sleep_in_background(false, places_.now() + kTick);
    // While others are busy this thread does not even touch the lock.
    if (!others_are_busy() || kicked_.load(std::memory_order_relaxed) ||
        stopping_.load(std::memory_order_relaxed))
      break;
    remember_others();
  }
  lock_.acquire();
  if (bell_.background_woke()) places_.take_back_background_poke();
  return Nap::Tick;
}

ProgressEngine::Nap ProgressEngine::look_after_bell() {
  if (bell_.waiter_owns()) {
    bell_.park();
    return background_sleep(false, kNever);
  }
  bell_.take_bell();
  return background_sleep(true, timers_->next());
}

ProgressEngine::Nap ProgressEngine::background_sleep(bool with_bell, Instant until) {
  lock_.relinquish();
  places_.sleep_in_background(with_bell, until);
  lock_.acquire();
  const bool poked = bell_.background_woke();
  if (poked) places_.take_back_background_poke();
  if (with_bell) places_.handle_what_is_ready();
  return poked ? Nap::Poked : Nap::Rung;
}

} // namespace datum
