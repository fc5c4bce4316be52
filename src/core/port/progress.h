// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/progress.h: how core objects wait, and how the transport is driven meanwhile.
// Lives here: the interface only. Implementations: progress/ (threads), transport/sim/ (virtual
//             time).
// Threads:    every call holds the adapter's lock; wait() gives it up while it sleeps.
#pragma once

#include <cstdint>

#include "base/intrusive_list.h"
#include "base/time.h"

namespace datum {

struct WaitPointTag;

// What a blocked thread waits for. It is part of an EVD, or lies on the stack of a CNO waiter.
struct WaitPoint : ListHook<WaitPointTag> {
  bool signalled = false;
  void* sleeper = nullptr; // belongs to the implementation, while a thread sleeps here
};

// The adapter's lock as a thread that sleeps sees it. relinquish() also does what the adapter has
// deferred until no lock is held (proxy agents).
class LockOwner {
 public:
  virtual ~LockOwner() = default;
  virtual void acquire() = 0;
  virtual void relinquish() = 0;
  // The calling thread has it: for assertions. An owner that cannot tell returns true.
  virtual bool held() const { return true; }
  // Releases it and takes it again. Where that matters, a thread that sleeps for it has it in
  // between.
  virtual void let_in() {
    relinquish();
    acquire();
  }
  // Releasing it first does deferred work, which may take long.
  virtual bool has_deferred() const { return false; }
};

enum class WaitResult : unsigned char { Signalled, TimedOut, Interrupted };

class Progress {
 public:
  virtual ~Progress() = default;
  // Drives the transport once, without sleeping. True: something happened.
  virtual bool poll() = 0;
  // Returns when `point.signalled`, at `deadline` or when a signal handler ran.
  virtual WaitResult wait(WaitPoint& point, Instant deadline) = 0;
  // Sets `point.signalled` and ends a wait on it.
  virtual void signal(WaitPoint& point) = 0;
  // Work was left behind that no thread may be polling for. Some thread has to look, within 100 us.
  // If a thread has polled for long and then stops, it is as soon as that is noticed.
  virtual void wake() = 0;
  // The same, and always within 100 us. It may cost a poller a wake-up, so it is for large or rare
  // work.
  virtual void wake_promptly() { wake(); }
  // The calling thread copies for a while inside its call, and has then copied this much. Its next
  // poll counts as several polls, since it had no time for them.
  virtual void copying() {}
  virtual void copied(std::uint64_t octets) { static_cast<void>(octets); }
  virtual Instant now() = 0;
};

// A DAT_TIMEOUT as a deadline; all ones is for ever.
inline Instant deadline_after(Progress& progress, std::uint32_t timeout_us) {
  constexpr std::uint32_t kForEver = 0xffffffff;
  return timeout_us == kForEver ? kNever : progress.now() + timeout_us * kMicrosecond;
}

} // namespace datum
