// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a consumer's thread does inside wait().
#include <algorithm>

#include "base/cpu.h"
#include "progress/engine.h"

namespace datum {

WaitResult ProgressEngine::wait(WaitPoint& point, Instant deadline) {
  if (!point.signalled) poll();
  if (point.signalled) return WaitResult::Signalled;
  const Instant start = places_.now();
  if (start >= deadline) return WaitResult::TimedOut;
  WaitResult result = WaitResult::Signalled;
  const bool polls = spin_.worth_it();
  if (!polls || !spin(point, start, deadline)) result = sleep(point, deadline);
  const Duration waited = places_.now() - start;
  // A short time limit says nothing about how long the event would have taken.
  if (result == WaitResult::Signalled || waited > SpinBudget::kLimit) spin_.learn(polls, waited);
  return result;
}

bool ProgressEngine::spin(const WaitPoint& point, Instant start, Instant deadline) {
  constexpr int kPollsPerBreath = 16;
  const Instant end = std::min(deadline, start + SpinBudget::kLimit);
  start_polling();
  do {
    for (int i = 0; i < kPollsPerBreath; ++i) {
      poll();
      if (point.signalled) return true;
      cpu_pause();
    }
    breathe();
    if (point.signalled) return true;
  } while (places_.now() < end);
  return false;
}

WaitResult ProgressEngine::sleep(WaitPoint& point, Instant deadline) {
  Sleeper me;
  point.sleeper = &me;
  Wake wake = Wake::Event;
  WaitResult result = WaitResult::Signalled;
  for (;;) {
    const bool worked = look();
    if (point.signalled) break;
    if (wake == Wake::Interrupted) {
      result = WaitResult::Interrupted;
      break;
    }
    if (deadline != kNever && places_.now() >= deadline) {
      result = WaitResult::TimedOut;
      break;
    }
    // No waiter owns the bell while a proxy agent runs, which is called when let_in() gives up the
    // lock: it may wait for something itself. The background thread makes way for it anyway.
    if (worked || lock_.has_put_off())
      lock_.let_in();
    else if (!bell_.polling() || !stop_polling())
      wake = sleep_once(me, deadline);
    if (point.signalled && may_leave_the_rest()) break;
  }
  point.sleeper = nullptr;
  waits_.store(waits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  carry_out(bell_.leave());
  return result;
}

// Where data comes by descriptors, what an event has left to do is mostly an acknowledgement, which
// the consumer's answer takes along. Its next call does it, or the background thread after a nap.
// Anywhere else a bell has been answered by now, and what it rang for not been looked at.
// With one processor the background thread might not get it before the consumer sleeps again.
bool ProgressEngine::may_leave_the_rest() const {
  return core_to_spare_ && data_by_descriptors() && bell_.background() != Bell::Background::Absent;
}

Wake ProgressEngine::sleep_once(Sleeper& me, Instant deadline) {
  if (bell_.waiter_owns()) {
    bell_.line_up(me);
    lock_.relinquish();
    const Wake wake = places_.sleep_beside(me, deadline);
    lock_.acquire();
    bell_.woke(me);
    return wake;
  }
  carry_out(bell_.claim(me));
  const Instant until = std::min({deadline, timers_->next(), transport_->watch(places_.now())});
  ReadyBatch ready;
  lock_.relinquish();
  const Wake wake = places_.sleep_at_bell(until, ready);
  lock_.acquire();
  if (bell_.woke(me)) places_.take_back_owner_poke();
  looked_at_ = places_.now();
  places_.handle(ready);
  return wake;
}

} // namespace datum
