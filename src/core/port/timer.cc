// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/port/timer.h"

#include "base/assertion.h"

namespace datum {

Timer::Timer() {
  Deadlines one;
  unused_ = one.extract(one.emplace(kNever, this));
}

Timer::~Timer() {
  cancel();
}

void Timer::cancel() {
  if (queue_ == nullptr) return;
  unused_ = queue_->timers_.extract(place_);
  queue_ = nullptr;
}

void TimerQueue::arm(Timer& timer, Instant when) {
  timer.cancel();
  DATUM_ASSERT(!timer.unused_.empty());
  timer.unused_.key() = when;
  timer.place_ = timers_.insert(std::move(timer.unused_));
  timer.queue_ = this;
}

bool TimerQueue::run(Instant now) {
  // A timer that arms itself again for `now` must not keep this loop running.
  bool any = false;
  for (std::size_t bound = timers_.size(); bound != 0 && next() <= now; --bound) {
    Timer* timer = timers_.begin()->second;
    timer->cancel();
    timer->on_expired(now);
    any = true;
  }
  return any;
}

} // namespace datum
