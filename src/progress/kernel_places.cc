// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/kernel_places.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/event_counter.h"
#include "base/futex.h"

namespace datum {
namespace {

// A futex wait with a time limit ends with EINTR after a signal handler, even with SA_RESTART.
// Without a time limit the kernel would restart the wait. So every wait has a limit.
constexpr Duration kLongSleep = 3600 * kSecond;

// False: a filter refuses both calls that write.
bool write_wake_up(const UniqueFd& fd) {
  const NotCancellable here;
  // The counter has room: every wake-up is taken back, so it stays far below its limit.
  return raise_counter(fd.get());
}

void read_wake_up(const UniqueFd& fd) {
  const NotCancellable here;
  lower_counter(fd.get());
}

} // namespace

KernelPlaces::KernelPlaces()
    : failure_(reactor_.valid() ? Failure{} : Failure{"epoll_create1", errno}),
      owner_wake_up_(noted("eventfd2", ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))),
      background_wake_up_(noted("eventfd2", ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))),
      prompt_wake_(
          noted("timerfd_create", ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))) {
  noted("epoll_ctl", reactor_.add_silent(owner_wake_up_.get()) ? 0 : -1);
}

int KernelPlaces::noted(const char* call, int result) {
  if (result < 0 && valid()) failure_ = {call, errno};
  return result;
}

Instant KernelPlaces::now() {
  return monotonic_now();
}

bool KernelPlaces::core_to_spare() const {
  return !only_core();
}

Wake KernelPlaces::sleep_at_doorbell(Instant until, ReadyBatch& ready) {
  return reactor_.wait(until == kNever ? 0 : now(), until, ready);
}

Wake KernelPlaces::sleep_beside(const Sleeper& sleeper, Instant until) {
  if (sleeper.word.load(std::memory_order_relaxed) != 0) return Wake::Event;
  const Duration left = until == kNever ? kLongSleep : until - now();
  switch (futex_sleep(sleeper.word, 0, std::min(left, kLongSleep))) {
  case FutexResult::Interrupted: return Wake::Interrupted;
  case FutexResult::TimedOut: return Wake::TimedOut;
  case FutexResult::Woken: break;
  }
  return Wake::Event;
}

bool KernelPlaces::sleep_in_background(bool with_doorbell, Instant until) {
  pollfd watched[3] = {{.fd = background_wake_up_.get(), .events = POLLIN, .revents = 0},
                       {.fd = prompt_wake_.get(), .events = POLLIN, .revents = 0},
                       {.fd = reactor_.fd(), .events = POLLIN, .revents = 0}};
  timespec span{};
  if (until != kNever) span = timespec_of(until - now());
  const int ready =
      ::ppoll(watched, with_doorbell ? 3 : 2, until == kNever ? nullptr : &span, nullptr);
  if (ready > 0 && watched[1].revents != 0) read_wake_up(prompt_wake_);
  return ready > 0 && watched[2].revents != 0;
}

void KernelPlaces::yield() {
  ::sched_yield();
}

void KernelPlaces::wake_owner() {
  write_wake_up(owner_wake_up_);
}
void KernelPlaces::wake_background() {
  if (!write_wake_up(background_wake_up_)) [[unlikely]]
    wake_background_by_timer();
}
// The thread also wakes when the timer is over. Otherwise the close of an adapter would wait for
// ever.
void KernelPlaces::wake_background_by_timer() {
  wake_background_by(now());
}
void KernelPlaces::wake_background_by(Instant by) {
  const itimerspec when{.it_interval = {}, .it_value = timespec_of(by)};
  // This fails only if a filter forbids the call. Then the backoff, 4 ms at most, lasts as long as
  // planned.
  static_cast<void>(::timerfd_settime(prompt_wake_.get(), TFD_TIMER_ABSTIME, &when, nullptr));
}
void KernelPlaces::wake(Sleeper& sleeper) {
  futex_wake(sleeper.word, 1);
}
void KernelPlaces::take_back_owner_wake_up() {
  read_wake_up(owner_wake_up_);
}
void KernelPlaces::take_back_background_wake_up() {
  read_wake_up(background_wake_up_);
}

} // namespace datum
