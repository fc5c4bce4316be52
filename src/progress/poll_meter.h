// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/poll_meter.h: how much the threads of the consumer do: polls, copies, waits that have
// ended.
// Lives here: the counts, and when a poll has to look at the clock.
// Not here:   what follows from them (backoff_plan.h, transport_driver.h).
// Threads:    the adapter's lock; the background thread reads activity() and polls() without it.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/assertion.h"
#include "core/port/waiting.h"
#include "progress/backoff_plan.h"

namespace datum {

class PollMeter {
 public:
  // --- polls -------------------------------------------------------------------------------------
  // Returns how many there have been. One thread at a time writes that, so a load and a store
  // suffice.
  std::uint32_t begin_poll() {
    DATUM_ASSERT(!in_poll_);
    const std::uint32_t count = polls() + std::exchange(counts_as_, 1);
    polls_.store(count, std::memory_order_relaxed);
    in_poll_ = true;
    return count;
  }
  void end_poll() { in_poll_ = false; }
  std::uint32_t polls() const { return polls_.load(std::memory_order_relaxed); }

  // --- polls that look at the clock --------------------------------------------------------------
  // So many polls after the last thorough one it is time for the next.
  void be_thorough_every(std::uint32_t polls) { thorough_every_ = polls; }
  bool is_thorough(std::uint32_t count) const { return since_thorough(count) >= thorough_every_; }
  std::uint32_t since_thorough(std::uint32_t count) const { return count - thorough_at_; }
  Instant last_timed_poll() const { return last_timed_poll_.load(std::memory_order_relaxed); }
  void on_thorough(std::uint32_t count, Instant now) {
    thorough_at_ = count;
    last_timed_poll_.store(now, std::memory_order_relaxed);
  }

  // --- copies ------------------------------------------------------------------------------------
  // A thread that copies all the time polls seldom. If it were taken for one that does not poll,
  // the background thread would run beside it and compete for the lock and for the next turn of the
  // copy. But it has to poll: a thread that only posts looks at nothing that arrives. A poll may
  // copy several times, for several connections or pieces.
  void begin_copy() {
    const std::uint32_t now = polls();
    copying_.store(in_poll_ || now != polls_before_copy_, std::memory_order_relaxed);
    polls_before_copy_ = now;
  }
  // The next poll counts as several, for what was copied before it.
  void end_copy(std::uint64_t octets) {
    counts_as_ += static_cast<std::uint32_t>(octets / waiting::kOctetsAPoll);
    copying_.store(false, std::memory_order_relaxed);
  }
  // A thread that sleeps has copied, and does not poll.
  void forget_copies() { counts_as_ = 1; }

  // --- waits -------------------------------------------------------------------------------------
  void on_wait_ended() {
    waits_.store(waits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  Activity activity() const {
    return {.polls = polls(),
            .waits = waits_.load(std::memory_order_relaxed),
            .last_timed_poll = last_timed_poll(),
            .copying = copying_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint32_t> polls_{0};
  std::atomic<std::uint32_t> waits_{0}; // that have ended
  std::atomic<Instant> last_timed_poll_{0};
  // a thread that has polled since its last copy is copying again
  std::atomic<bool> copying_{false};
  std::uint32_t counts_as_ = 1;         // the next poll counts as this many
  std::uint32_t polls_before_copy_ = 0; // when the last copy began
  std::uint32_t thorough_at_ = 0;       // polls there were at the last thorough one
  std::uint32_t thorough_every_ = waiting::kPollsBetweenAsleep;
  bool in_poll_ = false;
};

} // namespace datum
