// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The work of the background thread. It naps while other threads poll, owns the bell while no other
// thread does, and is parked while a waiter sleeps there.
#include <algorithm>

#include "base/assertion.h"
#include "progress/engine.h"

namespace datum {

void ProgressEngine::announce_background() {
  bell_.background_started();
  // From now on a thread sleeps at the bell unless peers are told otherwise. Later links learn that
  // as they are made.
  static_cast<void>(stop_polling());
}

void ProgressEngine::run_background() {
  lock_.acquire();
  Nap last = Nap::Poked;
  while (!stopping_.load(std::memory_order_relaxed)) {
    last = background_pass(last);
    // A turn was taken. Where peers send without a pause the next one begins at once, so the lock
    // is given up between them. Beside a polling thread a nap comes next.
    if ((last == Nap::Looked || last == Nap::Rung) && !bell_.polling()) lock_.let_in();
  }
  bell_.background_gone();
  // Without this thread the end of polling would go unnoticed.
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
  if (last == Nap::Poked) return nap();
  if (bell_.polling()) {
    if (last != Nap::Quiet) return nap();
    static_cast<void>(stop_polling()); // this thread looks next anyway
  }
  if (look()) return Nap::Looked;
  return look_after_bell();
}

Activity ProgressEngine::activity() const {
  return {.polls = polls_.load(std::memory_order_relaxed),
          .waits = waits_.load(std::memory_order_relaxed),
          .last_thorough = last_thorough_.load(std::memory_order_relaxed),
          .copying = copying_.load(std::memory_order_relaxed)};
}

bool ProgressEngine::wanted() const {
  if (stopping_.load(std::memory_order_relaxed) || urgent_.load(std::memory_order_relaxed))
    return true;
  return kicked_.load(std::memory_order_relaxed) && !somebody_polls();
}

// A thread that has polled for long, and polled just now, looks after a kick by itself. Between two
// polls of a thread that sends all the time there usually is a kick.
bool ProgressEngine::somebody_polls() const {
  return plan_.length() > waiting::kTick &&
         places_.now() - last_thorough_.load(std::memory_order_relaxed) <= waiting::kJustNow;
}

ProgressEngine::NapEnd ProgressEngine::nap_once() {
  DATUM_ASSERT(plan_.length() >= waiting::kTick && plan_.length() <= waiting::kLongestNap);
  const Instant end = places_.now() + plan_.length();
  nap_end_.store(end, std::memory_order_relaxed);
  bool rung = false;
  do {
    hurried_.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // see hurry()
    if (!wanted()) rung = places_.sleep_in_background(plan_.at_bell(), end);
    if (wanted()) return NapEnd::Wanted;
    // The thread that was in a hurry did the work itself: back to sleep.
  } while (!rung && places_.now() < end);
  return rung ? NapEnd::Rung : NapEnd::AsPlanned;
}

// A peer rings when its records were not taken for a while. Often the reason is only that the
// kernel ran another thread in place of the poller; a poll that begins now sees what the bell was
// for. Without a spare core a program that spins would get a whole time slice for that.
bool ProgressEngine::others_look() {
  if (!core_to_spare_) return false;
  const std::uint32_t before = polls_.load(std::memory_order_relaxed);
  places_.step_aside();
  return polls_.load(std::memory_order_relaxed) != before;
}

// A thread polls all the time, or waits and comes back; it will do so again. To rouse the
// background thread at the end of every short wait would cost more than the wait. While others are
// busy, the background thread does not even touch the lock.
ProgressEngine::Nap ProgressEngine::nap() {
  bell_.nap();
  plan_.begin(activity(), data_by_descriptors());
  lock_.relinquish();
  bool busy = true;
  while (busy) {
    const NapEnd end = nap_once();
    if (end == NapEnd::AsPlanned)
      busy = plan_.others_are_busy(activity(), places_.now());
    else if (end == NapEnd::Rung && others_look())
      plan_.interrupted();
    else
      break;
  }
  lock_.acquire();
  if (bell_.background_woke()) places_.take_back_background_poke();
  if (!busy) return Nap::Quiet;
  plan_.interrupted();
  handle_what_is_ready(places_.now());
  look();
  return Nap::Rung;
}

ProgressEngine::Nap ProgressEngine::look_after_bell() {
  if (bell_.waiter_owns()) {
    bell_.park();
    return background_sleep(false, kNever);
  }
  bell_.take_bell();
  return background_sleep(true, std::min(timers_->next(), transport_->watch(places_.now())));
}

ProgressEngine::Nap ProgressEngine::background_sleep(bool with_bell, Instant until) {
  DATUM_ASSERT(!with_bell || !bell_.polling());
  lock_.relinquish();
  places_.sleep_in_background(with_bell, until);
  lock_.acquire();
  const bool poked = bell_.background_woke();
  if (poked) places_.take_back_background_poke();
  if (with_bell) handle_what_is_ready(places_.now());
  return poked ? Nap::Poked : Nap::Rung;
}

} // namespace datum
