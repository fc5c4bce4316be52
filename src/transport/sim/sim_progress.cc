// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_progress.h"

#include <algorithm>
#include <atomic>

#include "base/futex.h"

namespace datum {
namespace {

// Every sleep has a time limit: only then does the futex wait end with EINTR after any signal
// handler.
constexpr Duration kLongSleep = 3600 * kSecond;

using Word = std::atomic<std::uint32_t>;

// Gives the lock up for a sleep. The destructor takes it again, even if the thread is cancelled in
// the sleep.
class Asleep {
 public:
  explicit Asleep(LockOwner& lock) : lock_(lock) { lock_.relinquish(); }
  ~Asleep() { lock_.acquire(); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  LockOwner& lock_;
};

} // namespace

bool PureSimProgress::poll() {
  const bool any = parts_.timers.run(world_.now());
  return parts_.transport.progress() || any;
}

WaitResult PureSimProgress::wait(WaitPoint& point, Instant deadline) {
  poll();
  WaitResult result = WaitResult::Signalled;
  while (!point.signalled) {
    if (world_.now() >= deadline) {
      result = WaitResult::TimedOut;
      break;
    }
    parts_.lock.relinquish();
    time_.exhaust();
    const bool more = time_.advance(deadline);
    parts_.lock.acquire();
    if (more || point.signalled) continue;
    if (deadline == kNever) return WaitResult::Interrupted;
    world_.advance_to(deadline);
  }
  return result;
}

bool DrivenSimProgress::poll() {
  const bool any = parts_.timers.run(now());
  return parts_.transport.progress() || any;
}

WaitResult DrivenSimProgress::wait(WaitPoint& point, Instant deadline) {
  poll();
  Word woken{0};
  point.sleeper = &woken;
  WaitResult result = WaitResult::Signalled;
  bool interrupted = false;
  while (!point.signalled) {
    if (interrupted || now() >= deadline) {
      result = interrupted ? WaitResult::Interrupted : WaitResult::TimedOut;
      break;
    }
    const Duration left = deadline == kNever ? kLongSleep : deadline - now();
    // This thread may have published records without ringing. The driver carries them to the
    // adapters that wait for them.
    driver_.wake();
    const Asleep asleep(parts_.lock);
    interrupted = futex_sleep(woken, 0, std::min(left, kLongSleep)) == FutexResult::Interrupted;
  }
  point.sleeper = nullptr;
  return result;
}

void DrivenSimProgress::signal(WaitPoint& point) {
  point.signalled = true;
  if (point.sleeper == nullptr) return;
  auto& word = *static_cast<Word*>(point.sleeper);
  word.store(1, std::memory_order_release);
  futex_wake(word, 1);
}

} // namespace datum
