// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the background thread does: it naps while others poll, owns the bell while nobody does, and
// is parked while a waiter sleeps there.
#include <algorithm>

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
  while (!stopping_.load(std::memory_order_relaxed)) {
    last = background_pass(last);
    // A turn was taken, and the next begins at once where peers send without a pause. Beside
    // somebody who polls a nap comes next.
    if ((last == Nap::Looked || last == Nap::Rung) && !bell_.polling()) lock_.let_in();
  }
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
  if (last == Nap::Poked) return nap();
  if (bell_.polling()) {
    if (last != Nap::Quiet) return nap();
    static_cast<void>(stop_polling()); // we look next anyway
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

// Whoever has polled for long, and did so just now, looks after a kick himself: between two polls
// of somebody who sends all the time there is one more often than not.
bool ProgressEngine::somebody_polls() const {
  return plan_.length() > waiting::kTick &&
         places_.now() - last_thorough_.load(std::memory_order_relaxed) <= waiting::kJustNow;
}

ProgressEngine::NapEnd ProgressEngine::nap_once() {
  const Instant end = places_.now() + plan_.length();
  nap_end_.store(end, std::memory_order_relaxed);
  bool rung = false;
  do {
    hurried_.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // see hurry()
    if (!wanted()) rung = places_.sleep_in_background(plan_.at_bell(), end);
    if (wanted()) return NapEnd::Wanted;
    // Somebody was in a hurry, and then did it himself: back to sleep.
  } while (!rung && places_.now() < end);
  return rung ? NapEnd::Rung : NapEnd::AsPlanned;
}

// A peer rings when nothing was taken for a while, and often that was only because the kernel had
// other plans for the poller: a poll that begins now sees what the bell was for.
// Where no core is to spare it would give a program that spins a whole time slice.
bool ProgressEngine::others_look() {
  if (!core_to_spare_) return false;
  const std::uint32_t before = polls_.load(std::memory_order_relaxed);
  places_.step_aside();
  return polls_.load(std::memory_order_relaxed) != before;
}

// Somebody polls all the time, or waits and comes back: they will again. Rousing this thread at the
// end of every short wait would cost more than the wait, and while others are busy it does not even
// touch the lock.
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
  lock_.relinquish();
  places_.sleep_in_background(with_bell, until);
  lock_.acquire();
  const bool poked = bell_.background_woke();
  if (poked) places_.take_back_background_poke();
  if (with_bell) handle_what_is_ready(places_.now());
  return poked ? Nap::Poked : Nap::Rung;
}

} // namespace datum
