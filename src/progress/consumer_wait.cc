// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/consumer_wait.h"

#include <algorithm>

#include "base/assertion.h"
#include "base/cpu.h"

namespace datum {
namespace {

// Work may come without end. A wait sleeps this often in spite of it, since only a sleep can be
// interrupted by a signal or cancelled.
constexpr Duration kLongestLinger = kMillisecond;

} // namespace

void ConsumerWait::signal(WaitPoint& point) {
  Handover& handover = driver_.handover();
  DATUM_ASSERT(handover.is_exclusive());
  point.signalled = true;
  if (point.sleeper == nullptr) return;
  handover.carry_out(handover.doorbell().signal(*static_cast<Sleeper*>(point.sleeper)));
}

WaitResult ConsumerWait::wait(WaitPoint& point, Instant deadline) {
  if (!point.signalled) polls_.poll();
  if (point.signalled) return WaitResult::Signalled;
  const Instant start = places_.now();
  if (start >= deadline) return WaitResult::TimedOut;
  WaitResult result = WaitResult::Signalled;
  const bool polls = !driver_.shares_core() && spin_.worth_it();
  if (!polls || !spin(point, start, deadline)) result = sleep(point, deadline);
  const Duration waited = places_.now() - start;
  // If a short time limit ended the wait, it is not known how long the event would have taken.
  if (result == WaitResult::Signalled || waited > waiting::kSpin) spin_.learn(polls, waited);
  return result;
}

bool ConsumerWait::spin(const WaitPoint& point, Instant start, Instant deadline) {
  const Instant end = std::min(deadline, start + waiting::kSpin);
  driver_.start_polling();
  do {
    for (int i = 0; i < waiting::kPollsPerBreath; ++i) {
      polls_.poll();
      if (point.signalled) return true;
      cpu_pause();
    }
    breathe();
    if (point.signalled) return true;
  } while (places_.now() < end);
  return false;
}

// Gives up the lock for a moment. Other threads may take it, and calls that were deferred until no
// lock is held are made.
void ConsumerWait::breathe() {
  lock_.relinquish();
  lock_.acquire();
}

// Exists while a thread is inside sleep(), awake or asleep. The destructor also runs if the thread
// is cancelled in its sleep.
class ConsumerWait::Waiting {
 public:
  Waiting(TransportDriver& driver, WaitPoint& point, Sleeper& me) : driver_(driver), point_(point) {
    DATUM_ASSERT(point_.sleeper == nullptr);
    point_.sleeper = &me;
  }
  ~Waiting() {
    point_.sleeper = nullptr;
    driver_.meter().on_wait_ended();
    driver_.handover().carry_out(driver_.handover().doorbell().leave());
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  TransportDriver& driver_;
  WaitPoint& point_;
};

// Exists while the thread sleeps without the lock. The destructor takes the lock again, however the
// sleep ends.
class ConsumerWait::Asleep {
 public:
  Asleep(LockOwner& lock, Handover& handover, Sleeper& me)
      : lock_(lock), handover_(handover), me_(me) {
    lock_.relinquish();
  }
  ~Asleep() {
    lock_.acquire();
    handover_.on_waiter_woke(me_);
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  LockOwner& lock_;
  Handover& handover_;
  Sleeper& me_;
};

WaitResult ConsumerWait::sleep(WaitPoint& point, Instant deadline) {
  Sleeper me;
  const Waiting waiting(driver_, point, me);
  Wake wake = Wake::Event;
  WaitResult result = WaitResult::Signalled;
  Instant lingers_until = 0;
  for (;;) {
    const bool worked = driver_.look();
    if (point.signalled) break;
    if (wake == Wake::Interrupted) {
      result = WaitResult::Interrupted;
      break;
    }
    if (deadline != kNever && places_.now() >= deadline) {
      result = WaitResult::TimedOut;
      break;
    }
    // Deferred calls are made when the lock is given up, and one of them may be a proxy agent that
    // waits itself. So let_in() comes before this thread claims the doorbell. Otherwise the agent's
    // wait would line up behind a doorbell owner that does not sleep at the doorbell.
    if (worked || lock_.has_deferred())
      lock_.let_in();
    else if (may_sleep(point, std::min(lingers_until, deadline))) {
      wake = sleep_once(me, deadline);
      lingers_until = wake == Wake::Event ? places_.now() + kLongestLinger : 0;
    }
    if (point.signalled && may_leave_the_rest()) break;
  }
  return result;
}

// False: something may have come. After a sleep that work has ended, but not the event of this wait,
// such as Writes of a peer, polls for more of it first.
bool ConsumerWait::may_sleep(const WaitPoint& point, Instant lingers_until) {
  const Handover& handover = driver_.handover();
  // Another waiter that sleeps as the owner of the doorbell relies on peers to ring. So does a
  // thread that polls on what peers have been told, which the end of lingering would revoke.
  const auto has_ended = [&] { return point.signalled || handover.doorbell().waiter_owns(); };
  if (!handover.is_polling() && !has_ended() && linger_.poll(lingers_until, has_ended))
    return false;
  return !handover.is_polling() || !driver_.stop_polling();
}

// True: the wait may return at once, although look() might find more work. Where data comes by
// descriptors, the work that an event leaves behind is mostly an acknowledgement. The consumer's
// next call sends it, or the background thread after a backoff. Elsewhere descriptors carry only
// doorbells. This thread may have read a doorbell and not yet polled the ring that the peer rang
// for, and the peer does not ring again. With only one processor the background thread might not
// run before the consumer sleeps again.
bool ConsumerWait::may_leave_the_rest() const {
  return driver_.has_core_to_spare() && driver_.data_by_descriptors() &&
         driver_.handover().doorbell().background() != Doorbell::Background::Absent;
}

Wake ConsumerWait::sleep_once(Sleeper& me, Instant deadline) {
  Handover& handover = driver_.handover();
  DATUM_ASSERT(!handover.is_polling());
  if (handover.doorbell().waiter_owns()) {
    handover.doorbell().line_up(me);
    const Asleep asleep(lock_, handover, me);
    return places_.sleep_beside(me, deadline);
  }
  handover.carry_out(handover.doorbell().claim(me));
  const Instant until = std::min(deadline, driver_.next_turn());
  ReadyBatch ready;
  Wake wake = Wake::Event;
  {
    const Asleep asleep(lock_, handover, me);
    wake = places_.sleep_at_doorbell(until, ready);
  }
  driver_.handle(ready);
  return wake;
}

} // namespace datum
