// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/linger.h: polling for a moment between the last work and a sleep at the doorbell. A peer
// that waits for each answer sends its next request sooner than a sleeping thread could run, and
// often before a thread that goes to sleep has gone there.
// Lives here: the polling, and telling peers that a thread polls.
// Not here:   whether that pays (spin_budget.h), what a poll does (transport_driver.h).
// Threads:    the caller holds the adapter's lock, which is given up now and then.
#pragma once

#include <utility>

#include "base/cpu.h"
#include "progress/spin_budget.h"
#include "progress/transport_driver.h"

namespace datum {

class Linger {
 public:
  // `polls`: the adapter's progress. Through it, the code of a poll stands in one place.
  Linger(LockOwner& lock, Places& places, TransportDriver& driver, Progress& polls)
      : lock_(lock), places_(places), driver_(driver), polls_(polls) {}
  Linger(const Linger&) = delete;
  Linger& operator=(const Linger&) = delete;

  // Polls until nothing has come for kLinger, or until the time `until`. Does not begin if polling
  // was in vain lately, or if all peers share the core, since nothing comes from them meanwhile.
  // True: the caller has to look before it sleeps, since work may be left, or since the polling
  // ended early: `has_ended` returned true, agents wait to be called, or another thread polls.
  template <class HasEnded>
  bool poll(Instant until, HasEnded&& has_ended) {
    if (driver_.shares_core() || places_.now() >= until) return false;
    if (std::exchange(others_polled_, false) || !budget_.worth_it()) return false;
    driver_.begin_lingering();
    const bool ended_early = poll_until_quiet(until, has_ended);
    const bool peers_have_sent = driver_.end_lingering();
    if (ended_early) return true;
    // The lock was given up. Another thread may have left work behind, and since this thread was
    // awake, no thread was woken for it. This look may find what the caller waits for.
    return driver_.look() || peers_have_sent || has_ended();
  }

 private:
  template <class HasEnded>
  bool poll_until_quiet(Instant until, HasEnded& has_ended) {
    Instant last_work = places_.now();
    budget_.was_in_vain();
    for (;;) {
      const bool worked = poll_a_few_times();
      if (worked) budget_.paid();
      // The caller lets agents be called when peers know that no thread polls.
      if (has_ended() || lock_.has_deferred()) return true;
      const std::uint32_t polls = driver_.meter().polls();
      lock_.let_in();
      others_polled_ = driver_.meter().polls() != polls;
      if (has_ended() || others_polled_) return true;
      const Instant now = places_.now();
      if (worked) last_work = now;
      if (now >= until || now - last_work > waiting::kLinger) return false;
    }
  }
  // True: a poll has found work. Other threads get the lock after each turn with work.
  bool poll_a_few_times() {
    const int most =
        driver_.data_by_descriptors() ? waiting::kPollsPerBreath / 4 : waiting::kPollsPerBreath;
    for (int i = 0; i < most; ++i) {
      if (polls_.poll()) return true;
      cpu_pause();
    }
    return false;
  }

  LockOwner& lock_;
  Places& places_;
  TransportDriver& driver_;
  Progress& polls_;
  // No sleep is as short as kLinger. So only polling shows whether polling pays, as it does without
  // a core to spare.
  TryBudget budget_{0, TryBudget::InVain::SlowDown};
  // Two threads that poll side by side contend for the lock. So this one sleeps once without
  // polling, and the other one may count as a poller meanwhile.
  bool others_polled_ = false;
};

} // namespace datum
