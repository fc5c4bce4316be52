// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/places.h: where the threads of an adapter sleep, how they are woken, what time it is.
// Lives here: the interface between the engine's decisions and the kernel. The implementation is
//             kernel_places. The tests of the engine implement it with a scheduler of their own.
#pragma once

#include <array>
#include <cstdint>
#include <sys/epoll.h>

#include "base/time.h"
#include "progress/doorbell.h"

namespace datum {

enum class Wake : std::uint8_t { Event, TimedOut, Interrupted };

// Descriptors that a thread without the lock found ready, to be handled later under the lock.
struct ReadyBatch {
  static constexpr int kSize = 32;
  int count = 0;
  std::array<epoll_event, kSize> events;
};

class Places {
 public:
  virtual ~Places() = default;
  virtual Instant now() = 0;
  // True: this process may run on several processors at a time.
  virtual bool core_to_spare() const = 0;

  // --- without the lock; each call may return early for no reason -------------------------------
  // Sleeps at the doorbell until a descriptor is ready, wake_owner() is called, or it is `until`.
  virtual Wake sleep_at_doorbell(Instant until, ReadyBatch& ready) = 0;
  // Sleeps beside the doorbell until `sleeper.word` is set or it is `until`.
  virtual Wake sleep_beside(const Sleeper& sleeper, Instant until) = 0;
  // The background thread sleeps here until wake_background() is called or it is `until`. If
  // `with_doorbell` is set, a ready descriptor ends the sleep, too, and the result is true.
  virtual bool sleep_in_background(bool with_doorbell, Instant until) = 0;
  // Lets another thread run first if it is ready to run on this processor.
  virtual void yield() = 0;

  // --- with the lock ----------------------------------------------------------------------------
  virtual void wake_owner() = 0;
  virtual void wake_background() = 0;
  // Ends the background thread's sleep at `by` at the latest. If the thread is awake at that time,
  // its next sleep ends at once.
  virtual void wake_background_by(Instant by) = 0;
  virtual void wake(Sleeper& sleeper) = 0;
  // A wake-up stays pending until the thread that was woken takes it back. Each wake-up is taken
  // back once.
  virtual void take_back_owner_wake_up() = 0;
  virtual void take_back_background_wake_up() = 0;
  // True: a handler was called.
  virtual bool handle(const ReadyBatch& ready) = 0;
  virtual bool handle_what_is_ready() = 0;
  // handle_what_is_ready() for a thread that polls all the time. The call may leave some
  // descriptors to the next calls.
  virtual bool handle_polling() = 0;
};

} // namespace datum
