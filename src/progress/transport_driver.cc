// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/transport_driver.h"

#include <algorithm>
#include <new>

#include "base/assertion.h"
#include "base/cancellation.h"
#include "base/no_canary.h"

namespace datum {

void TransportDriver::bind(Transport& transport, TimerQueue& timers) {
  DATUM_ASSERT(transport_ == nullptr);
  transport_ = &transport;
  timers_ = &timers;
  handover_.bind(transport);
}

// The work mostly belongs to another call of the consumer than the one that makes progress, and the
// background thread has no caller at all. So a lack of memory cannot be returned to a caller. An
// object that lacks memory logs that itself, or is found again by the next turn.
bool TransportDriver::progress(Transport& transport) {
  try {
    return transport.progress();
  } catch (const std::bad_alloc&) {
    return true;
  }
}

// A timer may dial. A consumer's thread that runs timers as it dequeues must not be cancelled in a
// dial.
bool TransportDriver::run(TimerQueue& timers, Instant now) {
  if (timers.next() > now) return false;
  const NotCancellable here;
  try {
    return timers.run(now);
  } catch (const std::bad_alloc&) {
    return true;
  }
}

DATUM_NO_CANARY bool TransportDriver::poll_thoroughly(std::uint32_t count, bool worked) {
  const std::uint32_t polls = meter_.since_thorough(count);
  const Instant now = places_.now();
  const Duration since = now - meter_.last_timed_poll();
  // Timers and descriptors bring nothing that a peer on this core has to run for.
  if (shares_core_) [[unlikely]]
    decide_on_stepping_aside(!worked);
  if (!handover_.is_polling()) {
    if (now - last_poll_ > (shares_core_ ? waiting::kTurns : waiting::kWakeUp)) row_began_ = now;
    last_poll_ = now;
    // Without a spare core, a thread that the doorbell has woken cannot run beside this one. So
    // this poll is thorough sooner.
    const Duration apart = core_to_spare_ ? waiting::kSlowPolls : waiting::kPollingGap;
    if (polls < waiting::kPollsBetweenAsleep && since < apart) return worked;
  }
  meter_.on_thorough(count, now);
  // Asked each time, since connections come and go.
  find_sharing();
  choose_thoroughness();
  worked = run(*timers_, now) || worked;
  if (!handover_.is_polling()) {
    // No thread counts as polling, so another thread sleeps at the doorbell and handles
    // descriptors. If this thread polls fast enough, peers are told to stop ringing, and the other
    // thread backs off. For an occasional dequeue that would not pay.
    if (polls_all_the_time(now, since, polls)) start_polling();
    // If a peer has not taken yet what was posted, the next poll is thorough, too, and calls
    // watch() again.
    if (transport_->watch(now) != kNever) meter_.be_thorough_every(1);
    if (should_look_at_descriptors(now)) worked = handle_what_is_ready(now) || worked;
    return worked;
  }
  if (!pace_.is_due(now)) return worked;
  const bool quick = since < waiting::kQuickPolls && transport_->descriptor_gap() == 0;
  const bool handled = quick ? places_.handle_polling() : places_.handle_what_is_ready();
  pace_.on_look(handled, now, transport_->descriptor_gap());
  static_cast<void>(transport_->watch(now)); // this thread calls it again soon
  return worked || handled;
}

// `polls` have come in the time `since`. Where data comes by descriptors, a row of polls counts, too,
// if each came before a woken thread would have run: that thread would only compete for the lock,
// and often for the core. The row has to be as long as a backoff, since data that comes after its
// last poll waits for the end of the backoff. Where peers share the core, only such a row counts,
// since each poll is thorough, and the gaps may be longer, since a peer runs in them.
bool TransportDriver::polls_all_the_time(Instant now, Duration since, std::uint32_t polls) const {
  if (!shares_core_ && since <= waiting::kPollingGap * polls) return true;
  return (data_by_descriptors() || shares_core_) && now - row_began_ >= waiting::kTick;
}

bool TransportDriver::handle_what_is_ready(Instant now) {
  looked_at_ = now;
  return places_.handle_what_is_ready();
}

void TransportDriver::handle(const ReadyBatch& ready) {
  looked_at_ = places_.now();
  places_.handle(ready);
}

// While the background thread backs off and no waiter owns the doorbell, no thread handles
// descriptors. The background thread keeps backing off as long as some thread polls, however
// seldom. Without a spare core, a thread that the doorbell has woken may not get to run.
bool TransportDriver::should_look_at_descriptors(Instant now) const {
  if (!data_by_descriptors()) return false;
  if (!core_to_spare_) return true;
  const Doorbell& doorbell = handover_.doorbell();
  const bool backing_off =
      !doorbell.waiter_owns() && doorbell.background() == Doorbell::Background::BackingOff;
  return backing_off || now - looked_at_ > waiting::kLateLook;
}

bool TransportDriver::look() {
  DATUM_ASSERT(lock_.held());
  pending_.clear();
  find_sharing();
  bool worked = progress(*transport_);
  meter_.forget_copies();
  if (timers_->next() != kNever && run(*timers_, places_.now())) worked = true;
  if (worked) others_found_ = true;
  // If this thread has called wake() itself in this turn, is_wanted() is set, and no thread was
  // woken. It must take another turn: if it slept now, want() would return false for later
  // wake-ups, and they would be lost.
  return worked || pending_.is_wanted();
}

void TransportDriver::find_sharing() {
  if (core_to_spare_ || transport_->shares_core() == shares_core_) return;
  shares_core_ = !shares_core_;
  if (!shares_core_) lock_.let_step_aside(false);
  choose_thoroughness();
}

// A thread that has polled in vain gives up the core if that has paid lately, and otherwise with one
// poll of 64. To a program that computes it gives a whole time slice. So a program that itself
// computes between its polls would lose a slice with each of them.
void TransportDriver::decide_on_stepping_aside(bool in_vain) {
  if (lock_.has_stepped_aside()) {
    may_step_aside_ = false;
    if (in_vain && !others_found_)
      asides_.was_in_vain();
    else
      asides_.paid();
    others_found_ = false;
  }
  if (in_vain && !may_step_aside_) may_step_aside_ = asides_.worth_it();
  lock_.let_step_aside(in_vain && may_step_aside_);
}

void TransportDriver::start_polling() {
  if (handover_.start_polling()) choose_thoroughness();
}

bool TransportDriver::stop_polling() {
  const bool look_again = handover_.stop_polling();
  choose_thoroughness();
  return look_again;
}

void TransportDriver::begin_lingering() {
  polled_before_lingering_ = meter_.last_timed_poll();
  if (handover_.start_lingering()) choose_thoroughness();
}

bool TransportDriver::end_lingering() {
  meter_.on_thorough(meter_.polls(), polled_before_lingering_);
  return handover_.is_polling() && stop_polling();
}

void TransportDriver::choose_thoroughness() {
  const std::uint32_t most =
      handover_.is_polling() ? waiting::kPollsBetweenPolling : waiting::kPollsBetweenAsleep;
  meter_.be_thorough_every(data_by_descriptors() || shares_core_ ? 1 : most);
}

} // namespace datum
