// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What every call may run: polling, signals, attention.
#include "progress/engine.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assertion.h"
#include "base/cancellation.h"
#include "base/no_canary.h"

namespace datum {

ProgressEngine::ProgressEngine(LockOwner& lock, Places& places)
    : lock_(lock), places_(places), core_to_spare_(places.core_to_spare()), spin_(core_to_spare_) {}

void ProgressEngine::bind(Transport& transport, TimerQueue& timers) {
  DATUM_ASSERT(transport_ == nullptr);
  transport_ = &transport;
  timers_ = &timers;
}

// The thread that makes progress seldom owns the work: the work belongs to another call of the
// consumer. The background thread has no caller that could be told of an error. So an object that
// lacks memory logs it itself, or is found again at the next look.
bool ProgressEngine::progress_transport() {
  try {
    return transport_->progress();
  } catch (const std::bad_alloc&) {
    return true;
  }
}

// A timer may dial, and a thread that dequeues must not be cancelled in there.
bool ProgressEngine::run_timers(Instant time) {
  if (timers_->next() > time) return false;
  const NotCancellable here;
  try {
    return timers_->run(time);
  } catch (const std::bad_alloc&) {
    return true;
  }
}

DATUM_NO_CANARY bool ProgressEngine::poll() {
  DATUM_ASSERT(lock_.held() && transport_ != nullptr);
  DATUM_ASSERT(!in_poll_);
  // One thread at a time writes it, so a load and a store suffice. The watchdog reads it without
  // the lock.
  const std::uint32_t count = polls_.load(std::memory_order_relaxed) + std::exchange(counts_as_, 1);
  polls_.store(count, std::memory_order_relaxed);
  // A poll does the work that was left behind. Otherwise each backoff would end for it.
  if (wake_wanted_.load(std::memory_order_relaxed)) [[unlikely]]
    nobody_is_wanted();
  in_poll_ = true;
  const bool worked = progress_transport();
  in_poll_ = false;
  if (count - thorough_at_ < polls_between_) [[likely]]
    return worked;
  return poll_thoroughly(count) || worked;
}

bool ProgressEngine::poll_thoroughly(std::uint32_t count) {
  const std::uint32_t polls = count - thorough_at_;
  const Instant time = places_.now();
  const Duration since = time - last_thorough_.load(std::memory_order_relaxed);
  // Without a spare core, a thread that heard the doorbell runs only where this one does.
  const Duration apart = core_to_spare_ ? waiting::kSlowPolls : waiting::kPollingGap;
  if (!doorbell_.polling() && polls < waiting::kPollsBetweenAsleep && since < apart) return false;
  thorough_at_ = count;
  // Asked anew each time: connections come and go.
  choose_polls_between();
  last_thorough_.store(time, std::memory_order_relaxed);
  bool worked = run_timers(time);
  if (!doorbell_.polling()) {
    // The thread that sleeps at the doorbell looks at descriptors. Peers stop ringing once a thread
    // polls fast enough. An occasional dequeue does not pay for telling them.
    if (since <= waiting::kPollingGap * polls) start_polling();
    // A peer may not have taken what was posted. Then the next poll looks again.
    if (transport_->watch(time) != kNever) polls_between_ = 1;
    if (nobody_looks_at_descriptors(time)) worked = handle_what_is_ready(time) || worked;
    return worked;
  }
  if (time < next_descriptors_) return worked;
  const bool quick = since < waiting::kQuickPolls && transport_->descriptor_gap() == 0;
  const bool handled = quick ? places_.handle_polling() : places_.handle_what_is_ready();
  const Duration longest = transport_->descriptor_gap();
  descriptor_gap_ = handled ? 0 : std::min(2 * descriptor_gap_ + waiting::kDescriptorStep, longest);
  next_descriptors_ = time + descriptor_gap_;
  static_cast<void>(transport_->watch(time)); // this thread is back here soon
  return worked || handled;
}

// A thread that copies all the time polls seldom. If the engine took it for a thread that does not
// poll, the background thread would run beside it and compete for the lock and for the next turn of
// the copy. But it has to poll: a thread that only posts looks at nothing that arrives. A poll may
// copy several times, for several connections or pieces.
void ProgressEngine::copying() {
  const std::uint32_t polls = polls_.load(std::memory_order_relaxed);
  copying_.store(in_poll_ || polls != polls_before_copy_, std::memory_order_relaxed);
  polls_before_copy_ = polls;
}

void ProgressEngine::copied(std::uint64_t octets) {
  counts_as_ += static_cast<std::uint32_t>(octets / waiting::kOctetsAPoll);
  copying_.store(false, std::memory_order_relaxed);
}

bool ProgressEngine::handle_what_is_ready(Instant time) {
  looked_at_ = time;
  return places_.handle_what_is_ready();
}

// No thread is at the doorbell while the background thread backs off. It keeps backing off as long
// as a thread polls, however seldom. Another thread may have heard the doorbell, but no processor
// runs it.
bool ProgressEngine::nobody_looks_at_descriptors(Instant time) const {
  if (!data_by_descriptors()) return false;
  if (!core_to_spare_) return true;
  const bool backing_off =
      !doorbell_.waiter_owns() && doorbell_.background() == Doorbell::Background::BackingOff;
  return backing_off || time - looked_at_ > waiting::kLateLook;
}

void ProgressEngine::nobody_is_wanted() {
  wake_wanted_.store(false, std::memory_order_relaxed);
  urgent_.store(false, std::memory_order_relaxed);
}

bool ProgressEngine::look() {
  DATUM_ASSERT(lock_.held());
  nobody_is_wanted();
  bool worked = progress_transport();
  counts_as_ = 1; // a thread that copied does not poll
  if (timers_->next() != kNever && run_timers(places_.now())) worked = true;
  // A wake-up by this very thread wakes no thread. If this thread slept now, the next wake-up would
  // take it for a thread that is about to look, and would be lost.
  return worked || wake_wanted_.load(std::memory_order_relaxed);
}

void ProgressEngine::start_polling() {
  if (!doorbell_.can_start_polling()) return;
  carry_out(doorbell_.start_polling());
  choose_polls_between();
  static_cast<void>(transport_->set_attention(Attention::Polling)); // the next poll looks anyway
}

bool ProgressEngine::stop_polling() {
  doorbell_.stop_polling();
  choose_polls_between();
  return transport_->set_attention(Attention::Asleep);
}

void ProgressEngine::signal(WaitPoint& point) {
  DATUM_ASSERT(has_no_company());
  point.signalled = true;
  if (point.sleeper != nullptr) carry_out(doorbell_.signal(*static_cast<Sleeper*>(point.sleeper)));
}

void ProgressEngine::wake() {
  DATUM_ASSERT(has_no_company());
  if (wake_wanted_.load(std::memory_order_relaxed)) return; // a thread is about to look
  wake_wanted_.store(true, std::memory_order_relaxed);
  carry_out(doorbell_.wake_any());
}

// The background thread publishes when its backoff ends, then checks whether it was woken. This
// thread wakes, then checks when the backoff ends.
void ProgressEngine::wake_promptly() {
  urgent_.store(true, std::memory_order_relaxed);
  wake();
  if (doorbell_.waiter_owns() || doorbell_.background() != Doorbell::Background::BackingOff) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const Instant by = places_.now() + waiting::kPromptWake;
  if (backoff_shortened_.load(std::memory_order_relaxed) ||
      backoff_end_.load(std::memory_order_relaxed) <= by)
    return;
  backoff_shortened_.store(true, std::memory_order_relaxed);
  places_.wake_background_by(by);
}

void ProgressEngine::carry_out(const WakeUps& wake_ups) {
  DATUM_ASSERT(has_no_company());
  if (wake_ups.owner) places_.wake_owner();
  if (wake_ups.background) places_.wake_background();
  if (wake_ups.sleeper != nullptr) places_.wake(*wake_ups.sleeper);
}

// Lets other threads have the lock, and runs what was deferred until no lock is held.
void ProgressEngine::breathe() {
  lock_.relinquish();
  lock_.acquire();
}

} // namespace datum
