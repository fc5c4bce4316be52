// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/linger.h: polling for a moment between the last work and a sleep at the doorbell. A peer
// that waits for each answer sends its next request sooner than a sleeping thread could run, and
// often before a thread that goes to sleep has gone there.
// Lives here: the polling, and telling peers that a thread polls.
// Not here:   whether that pays (spin_budget.h), what a poll does (transport_driver.h).
// Threads:    the caller holds the adapter's lock, which is given up now and then.
#pragma once

#include "base/cpu.h"
#include "progress/spin_budget.h"
#include "progress/transport_driver.h"

namespace datum {

class Linger {
 public:
  enum class End : std::uint8_t {
    Quiet,      // nothing came: the caller may sleep
    MustLook,   // something may have come as peers were told to ring again
    Ended,      // `has_ended` returned true
    OthersPoll, // another thread polls, and peers still know that
  };

  // `polls`: the adapter's progress. Through it, the code of a poll stands in one place.
  Linger(LockOwner& lock, Places& places, TransportDriver& driver, Progress& polls)
      : lock_(lock), places_(places), driver_(driver), polls_(polls) {}
  Linger(const Linger&) = delete;
  Linger& operator=(const Linger&) = delete;

  // Polls until nothing has come for kLinger, until `has_ended` returns true, or until the time
  // `until`. Returns Quiet at once if polling was in vain lately.
  template <class HasEnded>
  End poll(Instant until, HasEnded&& has_ended) {
    if (!budget_.worth_it()) return End::Quiet;
    driver_.start_polling();
    const End end = poll_until_quiet(until, has_ended);
    const bool tells = end != End::OthersPoll && driver_.handover().is_polling();
    const bool must_look = tells && driver_.stop_polling();
    return end == End::Quiet && must_look ? End::MustLook : end;
  }

 private:
  template <class HasEnded>
  End poll_until_quiet(Instant until, HasEnded& has_ended) {
    Instant last_work = places_.now();
    budget_.was_in_vain();
    for (;;) {
      const bool worked = poll_a_few_times();
      const std::uint32_t polls = driver_.meter().polls();
      lock_.let_in();
      if (has_ended()) return End::Ended;
      if (driver_.meter().polls() != polls) return End::OthersPoll;
      const Instant now = places_.now();
      if (worked) {
        budget_.paid();
        last_work = now;
      }
      if (now >= until || now - last_work > waiting::kLinger) return End::Quiet;
    }
  }
  bool poll_a_few_times() {
    bool worked = false;
    for (int i = 0; i < waiting::kPollsPerBreath; ++i) {
      worked = polls_.poll() || worked;
      cpu_pause();
    }
    return worked;
  }

  LockOwner& lock_;
  Places& places_;
  TransportDriver& driver_;
  Progress& polls_;
  // No sleep is as short as kLinger. So only polling shows whether polling pays, as it does without
  // a core to spare.
  SpinBudget budget_{waiting::kLinger, false};
};

} // namespace datum
