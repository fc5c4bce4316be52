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

// A condition that a blocked thread waits for. It lies on the stack of the waiting thread, or is a
// member of the object that waits.
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
  // True: the calling thread has the lock. For assertions. An implementation that does not know
  // returns true.
  virtual bool held() const { return true; }
  // Releases the lock and takes it again. In an implementation with several threads, a thread that
  // sleeps for the lock gets it in between.
  virtual void let_in() {
    relinquish();
    acquire();
  }
  // True: the next thread that has polled in vain steps aside: it lets others run after it has
  // released the lock, since a peer needs its processor.
  virtual void let_step_aside(bool) {}
  // True: a thread has done so since the last call.
  virtual bool has_stepped_aside() { return false; }
  // True: relinquish() does deferred work first, which may take long.
  virtual bool has_deferred() const { return false; }
};

enum class WaitResult : unsigned char { Signalled, TimedOut, Interrupted };

class Progress {
 public:
  virtual ~Progress() = default;
  // Drives the transport once, without sleeping. True: something happened.
  virtual bool poll() = 0;
  // Returns when `point.signalled` is true, at `deadline`, or when a signal handler ran.
  virtual WaitResult wait(WaitPoint& point, Instant deadline) = 0;
  // Sets `point.signalled`, and ends a wait on `point`.
  virtual void signal(WaitPoint& point) = 0;
  // Work was left behind, and perhaps no thread is polling. So some thread polls within 100 us.
  // There is one exception: if a thread has polled for long and has just stopped, the next poll
  // comes only when the background thread notices that.
  virtual void wake() = 0;
  // Like wake(), but always within 100 us. The wake-up may take time from a polling thread, so this
  // call is for large or rare work.
  virtual void wake_promptly() { wake(); }
  // The calling thread calls copying() before a long copy and copied() after it. Its next poll then
  // counts as several polls, since the copy left no time for polls.
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
