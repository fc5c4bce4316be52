// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/timer.h: deadlines of an adapter (connect timeouts, waiting for a receive).
// Threads: the adapter's lock.
#pragma once

#include <map>

#include "base/time.h"

namespace datum {

class Timer;
class TimerQueue;
using Deadlines = std::multimap<Instant, Timer*>;

// A timer brings its own place in the queue, so that arming needs no memory and cannot fail.
class Timer {
 public:
  virtual ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  void cancel();

 protected:
  Timer();
  virtual void on_expired(Instant now) = 0;

 private:
  friend class TimerQueue;
  TimerQueue* queue_ = nullptr;
  Deadlines::node_type unused_; // the place, while the timer is not armed
  Deadlines::iterator place_;   // valid while the timer is armed
};

class TimerQueue {
 public:
  void arm(Timer& timer, Instant when);
  Instant next() const { return timers_.empty() ? kNever : timers_.begin()->first; }
  // Expires the timers that are due, but no more timers than were armed at the start. True: a timer
  // expired.
  bool run(Instant now);

 private:
  friend class Timer;
  Deadlines timers_;
};

} // namespace datum
