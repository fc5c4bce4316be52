// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of wait() that runs in a consumer's thread.
#include <algorithm>

#include "base/assertion.h"
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
  if (result == WaitResult::Signalled || waited > waiting::kSpin) spin_.learn(polls, waited);
  return result;
}

bool ProgressEngine::spin(const WaitPoint& point, Instant start, Instant deadline) {
  const Instant end = std::min(deadline, start + waiting::kSpin);
  start_polling();
  do {
    for (int i = 0; i < waiting::kPollsPerBreath; ++i) {
      poll();
      if (point.signalled) return true;
      cpu_pause();
    }
    breathe();
    if (point.signalled) return true;
  } while (places_.now() < end);
  return false;
}

// A thread inside wait(). The destructor runs also when the thread is cancelled in its sleep.
class ProgressEngine::Waiting {
 public:
  Waiting(ProgressEngine& engine, WaitPoint& point, Sleeper& me) : engine_(engine), point_(point) {
    DATUM_ASSERT(point_.sleeper == nullptr);
    point_.sleeper = &me;
  }
  ~Waiting() {
    point_.sleeper = nullptr;
    std::atomic<std::uint32_t>& waits = engine_.waits_;
    waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    engine_.carry_out(engine_.doorbell_.leave());
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  ProgressEngine& engine_;
  WaitPoint& point_;
};

// The same thread without the lock. However its sleep ends, it takes the lock again.
class ProgressEngine::Asleep {
 public:
  Asleep(ProgressEngine& engine, Sleeper& me) : engine_(engine), me_(me) {
    engine_.lock_.relinquish();
  }
  ~Asleep() {
    engine_.lock_.acquire();
    if (engine_.doorbell_.woke(me_)) engine_.places_.take_back_owner_wake_up();
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  ProgressEngine& engine_;
  Sleeper& me_;
};

WaitResult ProgressEngine::sleep(WaitPoint& point, Instant deadline) {
  Sleeper me;
  const Waiting waiting(*this, point, me);
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
    // A proxy agent runs when let_in() gives up the lock, and may wait for something itself. So no
    // waiter owns the doorbell meanwhile. The background thread takes the doorbell anyway.
    if (worked || lock_.has_deferred())
      lock_.let_in();
    else if (!doorbell_.polling() || !stop_polling())
      wake = sleep_once(me, deadline);
    if (point.signalled && may_leave_the_rest()) break;
  }
  return result;
}

// Where data comes by descriptors, the work that an event leaves is mostly an acknowledgement. The
// consumer's answer takes it along: its next call does it, or the background thread after a
// backoff. Elsewhere a doorbell has been answered by now, but its cause has not been looked at.
// With one processor the background thread might not run before the consumer sleeps again.
bool ProgressEngine::may_leave_the_rest() const {
  return core_to_spare_ && data_by_descriptors() &&
         doorbell_.background() != Doorbell::Background::Absent;
}

Wake ProgressEngine::sleep_once(Sleeper& me, Instant deadline) {
  DATUM_ASSERT(!doorbell_.polling());
  if (doorbell_.waiter_owns()) {
    doorbell_.line_up(me);
    const Asleep asleep(*this, me);
    return places_.sleep_beside(me, deadline);
  }
  carry_out(doorbell_.claim(me));
  const Instant until = std::min({deadline, timers_->next(), transport_->watch(places_.now())});
  ReadyBatch ready;
  Wake wake = Wake::Event;
  {
    const Asleep asleep(*this, me);
    wake = places_.sleep_at_doorbell(until, ready);
  }
  looked_at_ = places_.now();
  places_.handle(ready);
  return wake;
}

} // namespace datum
