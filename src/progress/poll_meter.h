// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/poll_meter.h: how active the threads of the consumer are: polls, copies, waits that have
// ended.
// Lives here: the counts, and which polls have to be thorough, that is, read the clock.
// Not here:   what follows from the counts (backoff_plan.h, transport_driver.h).
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
  // Returns how many polls there have been. Only one thread at a time writes the count, so a load
  // and a store suffice.
  std::uint32_t begin_poll() {
    DATUM_ASSERT(!in_poll_);
    const std::uint32_t count = polls() + std::exchange(counts_as_, 1);
    polls_.store(count, std::memory_order_relaxed);
    in_poll_ = true;
    return count;
  }
  void end_poll() { in_poll_ = false; }
  std::uint32_t polls() const { return polls_.load(std::memory_order_relaxed); }

  // --- thorough polls, which read the clock -----------------------------------------------------
  // A poll is thorough if at least `polls` polls have begun since the last thorough one.
  void be_thorough_every(std::uint32_t polls) { thorough_every_ = polls; }
  bool is_thorough(std::uint32_t count) const { return since_thorough(count) >= thorough_every_; }
  std::uint32_t since_thorough(std::uint32_t count) const { return count - thorough_at_; }
  Instant last_timed_poll() const { return last_timed_poll_.load(std::memory_order_relaxed); }
  void on_thorough(std::uint32_t count, Instant now) {
    thorough_at_ = count;
    last_timed_poll_.store(now, std::memory_order_relaxed);
  }

  // --- copies ------------------------------------------------------------------------------------
  // A thread that copies all the time polls seldom, but it counts as polling. Otherwise the
  // background thread would run beside it and compete for the lock and for the next turn of the
  // copy. A thread that only posts does not count, since it takes nothing that arrives: copying_ is
  // set only inside a poll, or if a poll came since the last copy began. One poll may copy several
  // times, for several connections or pieces.
  void begin_copy() {
    const std::uint32_t now = polls();
    copying_.store(in_poll_ || now != polls_before_copy_, std::memory_order_relaxed);
    polls_before_copy_ = now;
  }
  // The next poll counts as several polls, in proportion to the octets that were copied before it.
  void end_copy(std::uint64_t octets) {
    counts_as_ += static_cast<std::uint32_t>(octets / waiting::kOctetsAPoll);
    copying_.store(false, std::memory_order_relaxed);
  }
  // Called by a thread that sleeps between its turns: its copies do not count as polls.
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
  std::atomic<std::uint32_t> waits_{0}; // waits that have ended
  std::atomic<Instant> last_timed_poll_{0};
  // True: a thread that counts as polling is in the middle of a copy (begin_copy())
  std::atomic<bool> copying_{false};
  std::uint32_t counts_as_ = 1;         // the next poll counts as this many
  std::uint32_t polls_before_copy_ = 0; // polls() when the last copy began
  std::uint32_t thorough_at_ = 0;       // polls() at the last thorough poll
  std::uint32_t thorough_every_ = waiting::kPollsBetweenAsleep;
  bool in_poll_ = false;
};

} // namespace datum
