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

// The thread that makes progress seldom owns the work: the work belongs to another call of the
// consumer. The background thread has no caller that could be told of an error. So an object that
// lacks memory logs it itself, or is found again at the next look.
bool TransportDriver::progress(Transport& transport) {
  try {
    return transport.progress();
  } catch (const std::bad_alloc&) {
    return true;
  }
}

// A timer may dial, and a thread that dequeues must not be cancelled in there.
bool TransportDriver::run(TimerQueue& timers, Instant now) {
  if (timers.next() > now) return false;
  const NotCancellable here;
  try {
    return timers.run(now);
  } catch (const std::bad_alloc&) {
    return true;
  }
}

DATUM_NO_CANARY bool TransportDriver::poll_thoroughly(std::uint32_t count) {
  const std::uint32_t polls = meter_.since_thorough(count);
  const Instant now = places_.now();
  const Duration since = now - meter_.last_timed_poll();
  // Without a spare core, a thread that heard the doorbell runs only where this one does.
  const Duration apart = core_to_spare_ ? waiting::kSlowPolls : waiting::kPollingGap;
  if (!handover_.is_polling() && polls < waiting::kPollsBetweenAsleep && since < apart)
    return false;
  meter_.on_thorough(count, now);
  // Asked anew each time: connections come and go.
  choose_thoroughness();
  bool worked = run(*timers_, now);
  if (!handover_.is_polling()) {
    // The thread that sleeps at the doorbell looks at descriptors. Peers stop ringing once a thread
    // polls fast enough. An occasional dequeue does not pay for telling them.
    if (since <= waiting::kPollingGap * polls) start_polling();
    // A peer may not have taken what was posted. Then the next poll looks again.
    if (transport_->watch(now) != kNever) meter_.be_thorough_every(1);
    if (should_look_at_descriptors(now)) worked = handle_what_is_ready(now) || worked;
    return worked;
  }
  if (!pace_.is_due(now)) return worked;
  const bool quick = since < waiting::kQuickPolls && transport_->descriptor_gap() == 0;
  const bool handled = quick ? places_.handle_polling() : places_.handle_what_is_ready();
  pace_.on_look(handled, now, transport_->descriptor_gap());
  static_cast<void>(transport_->watch(now)); // this thread is back here soon
  return worked || handled;
}

bool TransportDriver::handle_what_is_ready(Instant now) {
  looked_at_ = now;
  return places_.handle_what_is_ready();
}

void TransportDriver::handle(const ReadyBatch& ready) {
  looked_at_ = places_.now();
  places_.handle(ready);
}

// No thread is at the doorbell while the background thread backs off. It keeps backing off as long
// as a thread polls, however seldom. Another thread may have heard the doorbell, but no processor
// runs it.
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
  bool worked = progress(*transport_);
  meter_.forget_copies();
  if (timers_->next() != kNever && run(*timers_, places_.now())) worked = true;
  // A wake-up by this very thread wakes no thread. If this thread slept now, the next wake-up would
  // take it for a thread that is about to look, and would be lost.
  return worked || pending_.is_wanted();
}

void TransportDriver::start_polling() {
  if (handover_.start_polling()) choose_thoroughness();
}

bool TransportDriver::stop_polling() {
  const bool look_again = handover_.stop_polling();
  choose_thoroughness();
  return look_again;
}

void TransportDriver::choose_thoroughness() {
  const std::uint32_t most =
      handover_.is_polling() ? waiting::kPollsBetweenPolling : waiting::kPollsBetweenAsleep;
  meter_.be_thorough_every(data_by_descriptors() ? 1 : most);
}

} // namespace datum
