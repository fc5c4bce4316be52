// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/places.h: where the threads of an adapter sleep, how they are woken, what time it is.
// Lives here: the interface between the engine's decisions and the kernel. The tests of the engine
//             put a scheduler of their own behind it. Implementation: kernel_places.
#pragma once

#include <array>
#include <cstdint>
#include <sys/epoll.h>

#include "base/time.h"
#include "progress/doorbell.h"

namespace datum {

enum class Wake : std::uint8_t { Event, TimedOut, Interrupted };

// Descriptors found ready by a thread that held no lock; handled later, under the lock.
struct ReadyBatch {
  static constexpr int kSize = 32;
  int count = 0;
  std::array<epoll_event, kSize> events;
};

class Places {
 public:
  virtual ~Places() = default;
  virtual Instant now() = 0;
  // This process may run on several processors at a time.
  virtual bool core_to_spare() const = 0;

  // --- without the lock; each may return early for no reason ------------------------------------
  // At the doorbell, until a descriptor is ready, wake_owner(), or `until`.
  virtual Wake sleep_at_doorbell(Instant until, ReadyBatch& ready) = 0;
  // Beside the doorbell, until `sleeper.word` is set or `until`.
  virtual Wake sleep_beside(const Sleeper& sleeper, Instant until) = 0;
  // The background thread, until wake_background() or `until`. With the doorbell also until a
  // descriptor is ready; then it returns true.
  virtual bool sleep_in_background(bool with_doorbell, Instant until) = 0;
  // Lets another thread that is ready to run on this processor run first.
  virtual void yield() = 0;

  // --- with the lock ----------------------------------------------------------------------------
  virtual void wake_owner() = 0;
  virtual void wake_background() = 0;
  // Ends the background thread's sleep by `by`. If it is awake by then, ends its next sleep.
  virtual void wake_background_by(Instant by) = 0;
  virtual void wake(Sleeper& sleeper) = 0;
  // A wake-up stays until it is taken back, once for each wake-up.
  virtual void take_back_owner_wake_up() = 0;
  virtual void take_back_background_wake_up() = 0;
  // True: a handler was called.
  virtual bool handle(const ReadyBatch& ready) = 0;
  virtual bool handle_what_is_ready() = 0;
  // The same for a thread that comes back at once: some of it may be left for the next calls.
  virtual bool handle_polling() = 0;
};

} // namespace datum
