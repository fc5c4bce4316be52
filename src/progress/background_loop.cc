// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/background_loop.h"

#include "base/assertion.h"

namespace datum {

void BackgroundLoop::announce() {
  driver_.handover().doorbell().background_started();
  // Tells peers that they have to ring until a thread polls. A link that is made later tells its
  // peer when it is made.
  static_cast<void>(driver_.stop_polling());
}

void BackgroundLoop::run() {
  lock_.acquire();
  PassEnd last = PassEnd::Woken;
  while (!stopping_.load(std::memory_order_relaxed)) {
    last = pass(last);
    // If peers send without a pause, the next pass begins at once. So other threads get the lock in
    // between. While a thread polls, that is not needed: the next pass backs off without the lock.
    if ((last == PassEnd::Looked || last == PassEnd::Worked) && !driver_.handover().is_polling())
      lock_.let_in();
  }
  driver_.handover().doorbell().background_gone();
  // This thread would notice the end of polling. Without it peers have to ring from now on.
  if (driver_.handover().is_polling()) static_cast<void>(driver_.stop_polling());
  lock_.relinquish();
}

void BackgroundLoop::request_stop() {
  lock_.acquire();
  stopping_.store(true, std::memory_order_relaxed);
  Handover& handover = driver_.handover();
  if (handover.doorbell().background() != Doorbell::Background::Absent)
    handover.carry_out(handover.doorbell().wake_for_stop());
  lock_.relinquish();
}

BackgroundLoop::PassEnd BackgroundLoop::pass(PassEnd last) {
  if (driver_.pending().is_wanted()) {
    driver_.look();
    if (last == PassEnd::Woken) last = PassEnd::Worked;
  }
  if (last == PassEnd::Woken) return back_off();
  if (driver_.handover().is_polling()) {
    if (last != PassEnd::Quiet) return back_off();
    static_cast<void>(driver_.stop_polling()); // this thread looks next anyway
  }
  if (driver_.look() || linger()) return PassEnd::Looked;
  return look_after_doorbell();
}

bool BackgroundLoop::must_end_backoff() const {
  if (stopping_.load(std::memory_order_relaxed) || driver_.pending().is_urgent()) return true;
  return driver_.pending().is_wanted() && !other_thread_polls();
}

// True: a thread has polled for long, and polled just now, so it will do the work at its next poll.
// A thread that sends all the time leaves work behind between most polls, which must not end a
// backoff.
bool BackgroundLoop::other_thread_polls() const {
  return plan_.length() > waiting::kTick &&
         places_.now() - driver_.meter().last_timed_poll() <= waiting::kJustNow;
}

BackgroundLoop::BackoffEnd BackgroundLoop::back_off_once() {
  DATUM_ASSERT(plan_.length() >= waiting::kTick && plan_.length() <= waiting::kLongestBackoff);
  const Instant end = places_.now() + plan_.length();
  driver_.pending().begin_backoff(end);
  bool rung = false;
  do {
    driver_.pending().begin_sleep();
    if (!must_end_backoff()) rung = places_.sleep_in_background(plan_.at_doorbell(), end);
    if (must_end_backoff()) return BackoffEnd::Wanted;
    // If the sleep ended early and another thread has done the urgent work already, sleep again.
  } while (!rung && places_.now() < end);
  return rung ? BackoffEnd::Rung : BackoffEnd::AsPlanned;
}

// True: another thread has polled, so it has found what the peer rang for. A peer rings if its
// records were not taken for a while, often only because the kernel ran another thread in place of
// the poller. The yield lets the poller run. Without a spare core it could give a spinning program
// a whole time slice, so there is none.
bool BackgroundLoop::let_others_look() {
  if (!driver_.has_core_to_spare()) return false;
  const std::uint32_t before = driver_.meter().polls();
  places_.yield();
  return driver_.meter().polls() != before;
}

// Called while another thread polls all the time, or has just left a wait and will soon wait again.
// Waking the background thread at the end of every short wait would cost more than the wait. So the
// background thread sleeps by a timer, and does not take the lock while other threads are busy.
BackgroundLoop::PassEnd BackgroundLoop::back_off() {
  driver_.handover().doorbell().back_off();
  plan_.begin(driver_.meter().activity(), driver_.data_by_descriptors(), driver_.shares_core());
  lock_.relinquish();
  bool busy = true;
  while (busy) {
    const BackoffEnd end = back_off_once();
    if (end == BackoffEnd::AsPlanned)
      busy = plan_.others_are_busy(driver_.meter().activity(), places_.now());
    else if (end == BackoffEnd::Rung && let_others_look())
      plan_.interrupted();
    else
      break;
  }
  lock_.acquire();
  driver_.handover().on_background_woke();
  if (!busy) return PassEnd::Quiet;
  plan_.interrupted();
  driver_.handle_what_is_ready(places_.now());
  driver_.look();
  return PassEnd::Worked;
}

// True: this thread must not sleep yet, since something may have come, another thread polls, a
// waiter has taken the doorbell, or the adapter closes.
bool BackgroundLoop::linger() {
  const Doorbell& doorbell = driver_.handover().doorbell();
  if (doorbell.waiter_owns()) return false;
  return linger_.poll(
      kNever, [&] { return stopping_.load(std::memory_order_relaxed) || doorbell.waiter_owns(); });
}

BackgroundLoop::PassEnd BackgroundLoop::look_after_doorbell() {
  Doorbell& doorbell = driver_.handover().doorbell();
  if (doorbell.waiter_owns()) {
    doorbell.park();
    return sleep(false, kNever);
  }
  doorbell.take_doorbell();
  return sleep(true, driver_.next_turn());
}

BackgroundLoop::PassEnd BackgroundLoop::sleep(bool with_doorbell, Instant until) {
  DATUM_ASSERT(!with_doorbell || !driver_.handover().is_polling());
  lock_.relinquish();
  places_.sleep_in_background(with_doorbell, until);
  lock_.acquire();
  const bool woken = driver_.handover().on_background_woke();
  if (with_doorbell) driver_.handle_what_is_ready(places_.now());
  return woken ? PassEnd::Woken : PassEnd::Worked;
}

} // namespace datum
