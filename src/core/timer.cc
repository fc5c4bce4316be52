// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/timer.h"

namespace datum {

Timer::~Timer() {
  cancel();
}

void Timer::cancel() {
  if (queue_ == nullptr) return;
  queue_->timers_.erase(place_);
  queue_ = nullptr;
}

void TimerQueue::arm(Timer& timer, Instant when) {
  timer.cancel();
  timer.place_ = timers_.emplace(when, &timer);
  timer.queue_ = this;
}

bool TimerQueue::run(Instant now) {
  // A timer that arms itself again for `now` must not keep us here.
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
