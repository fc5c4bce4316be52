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

// A thread that waits, until it does so no more: a cancelled one ends where it sleeps.
class ProgressEngine::Waiting {
 public:
  Waiting(ProgressEngine& engine, WaitPoint& point, Sleeper& me) : engine_(engine), point_(point) {
    point_.sleeper = &me;
  }
  ~Waiting() {
    point_.sleeper = nullptr;
    std::atomic<std::uint32_t>& waits = engine_.waits_;
    waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    engine_.carry_out(engine_.bell_.leave());
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  ProgressEngine& engine_;
  WaitPoint& point_;
};

// Such a thread without the lock, and with it again however its sleep ends.
class ProgressEngine::Asleep {
 public:
  Asleep(ProgressEngine& engine, Sleeper& me) : engine_(engine), me_(me) {
    engine_.lock_.relinquish();
  }
  ~Asleep() {
    engine_.lock_.acquire();
    if (engine_.bell_.woke(me_)) engine_.places_.take_back_owner_poke();
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
    // No waiter owns the bell while a proxy agent runs, which is called when let_in() gives up the
    // lock: it may wait for something itself. The background thread makes way for it anyway.
    if (worked || lock_.has_put_off())
      lock_.let_in();
    else if (!bell_.polling() || !stop_polling())
      wake = sleep_once(me, deadline);
    if (point.signalled && may_leave_the_rest()) break;
  }
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
    const Asleep asleep(*this, me);
    return places_.sleep_beside(me, deadline);
  }
  carry_out(bell_.claim(me));
  const Instant until = std::min({deadline, timers_->next(), transport_->watch(places_.now())});
  ReadyBatch ready;
  Wake wake = Wake::Event;
  {
    const Asleep asleep(*this, me);
    wake = places_.sleep_at_bell(until, ready);
  }
  looked_at_ = places_.now();
  places_.handle(ready);
  return wake;
}

} // namespace datum
