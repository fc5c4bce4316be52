// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The work of the background thread. It backs off while other threads poll, owns the doorbell while
// no other thread does, and is parked while a waiter sleeps there.
#include <algorithm>

#include "base/assertion.h"
#include "progress/engine.h"

namespace datum {

void ProgressEngine::announce_background() {
  doorbell_.background_started();
  // From now on a thread sleeps at the doorbell unless peers are told otherwise. Later links learn
  // that as they are made.
  static_cast<void>(stop_polling());
}

void ProgressEngine::run_background() {
  lock_.acquire();
  PassEnd last = PassEnd::Woken;
  while (!stopping_.load(std::memory_order_relaxed)) {
    last = background_pass(last);
    // A turn was taken. Where peers send without a pause the next one begins at once, so the lock
    // is given up between them. Beside a polling thread a backoff comes next.
    if ((last == PassEnd::Looked || last == PassEnd::Rung) && !doorbell_.polling()) lock_.let_in();
  }
  doorbell_.background_gone();
  // Without this thread the end of polling would go unnoticed.
  if (doorbell_.polling()) static_cast<void>(stop_polling());
  lock_.relinquish();
}

void ProgressEngine::request_stop() {
  lock_.acquire();
  stopping_.store(true, std::memory_order_relaxed);
  if (doorbell_.background() != Doorbell::Background::Absent) carry_out(doorbell_.wake_for_stop());
  lock_.relinquish();
}

ProgressEngine::PassEnd ProgressEngine::background_pass(PassEnd last) {
  if (wake_wanted_.load(std::memory_order_relaxed)) {
    look();
    if (last == PassEnd::Woken) last = PassEnd::Rung;
  }
  if (last == PassEnd::Woken) return back_off();
  if (doorbell_.polling()) {
    if (last != PassEnd::Quiet) return back_off();
    static_cast<void>(stop_polling()); // this thread looks next anyway
  }
  if (look()) return PassEnd::Looked;
  return look_after_doorbell();
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
  return wake_wanted_.load(std::memory_order_relaxed) && !somebody_polls();
}

// A thread that has polled for long, and polled just now, looks after a wake-up by itself. Between
// two polls of a thread that sends all the time there usually is a wake-up.
bool ProgressEngine::somebody_polls() const {
  return plan_.length() > waiting::kTick &&
         places_.now() - last_thorough_.load(std::memory_order_relaxed) <= waiting::kJustNow;
}

ProgressEngine::BackoffEnd ProgressEngine::back_off_once() {
  DATUM_ASSERT(plan_.length() >= waiting::kTick && plan_.length() <= waiting::kLongestBackoff);
  const Instant end = places_.now() + plan_.length();
  backoff_end_.store(end, std::memory_order_relaxed);
  bool rung = false;
  do {
    backoff_shortened_.store(false, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // see wake_promptly()
    if (!wanted()) rung = places_.sleep_in_background(plan_.at_doorbell(), end);
    if (wanted()) return BackoffEnd::Wanted;
    // The thread that wanted a prompt wake did the work itself: back to sleep.
  } while (!rung && places_.now() < end);
  return rung ? BackoffEnd::Rung : BackoffEnd::AsPlanned;
}

// A peer rings when its records were not taken for a while. Often the reason is only that the
// kernel ran another thread in place of the poller; a poll that begins now sees what the doorbell
// was for. Without a spare core a program that spins would get a whole time slice for that.
bool ProgressEngine::others_look() {
  if (!core_to_spare_) return false;
  const std::uint32_t before = polls_.load(std::memory_order_relaxed);
  places_.yield();
  return polls_.load(std::memory_order_relaxed) != before;
}

// A thread polls all the time, or waits and comes back; it will do so again. To wake the
// background thread at the end of every short wait would cost more than the wait. While others are
// busy, the background thread does not even touch the lock.
ProgressEngine::PassEnd ProgressEngine::back_off() {
  doorbell_.back_off();
  plan_.begin(activity(), data_by_descriptors());
  lock_.relinquish();
  bool busy = true;
  while (busy) {
    const BackoffEnd end = back_off_once();
    if (end == BackoffEnd::AsPlanned)
      busy = plan_.others_are_busy(activity(), places_.now());
    else if (end == BackoffEnd::Rung && others_look())
      plan_.interrupted();
    else
      break;
  }
  lock_.acquire();
  if (doorbell_.background_woke()) places_.take_back_background_wake_up();
  if (!busy) return PassEnd::Quiet;
  plan_.interrupted();
  handle_what_is_ready(places_.now());
  look();
  return PassEnd::Rung;
}

ProgressEngine::PassEnd ProgressEngine::look_after_doorbell() {
  if (doorbell_.waiter_owns()) {
    doorbell_.park();
    return background_sleep(false, kNever);
  }
  doorbell_.take_doorbell();
  return background_sleep(true, std::min(timers_->next(), transport_->watch(places_.now())));
}

ProgressEngine::PassEnd ProgressEngine::background_sleep(bool with_doorbell, Instant until) {
  DATUM_ASSERT(!with_doorbell || !doorbell_.polling());
  lock_.relinquish();
  places_.sleep_in_background(with_doorbell, until);
  lock_.acquire();
  const bool woken = doorbell_.background_woke();
  if (woken) places_.take_back_background_wake_up();
  if (with_doorbell) handle_what_is_ready(places_.now());
  return woken ? PassEnd::Woken : PassEnd::Rung;
}

} // namespace datum
