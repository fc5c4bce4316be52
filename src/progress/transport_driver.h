// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/transport_driver.h: one turn of an adapter's work in any thread: transport, timers,
// descriptors.
// Lives here: poll(), the turn of a thread that polls; look(), the turn of a thread that sleeps
//             between turns; which polls read the clock and handle descriptors; what waiters and
//             the background thread share.
// Not here:   which thread takes the turn (consumer_wait.h, background_loop.h), which thread is
//             woken (handover.h).
// Threads:    the caller holds the adapter's lock.
#pragma once

#include <algorithm>

#include "base/assertion.h"
#include "core/port/timer.h"
#include "progress/descriptor_pace.h"
#include "progress/handover.h"
#include "progress/pending_look.h"
#include "progress/poll_meter.h"
#include "progress/spin_budget.h"

namespace datum {

class TransportDriver {
 public:
  TransportDriver(LockOwner& lock, Places& places)
      : lock_(lock), places_(places), core_to_spare_(places.core_to_spare()),
        handover_(lock, places) {}
  TransportDriver(const TransportDriver&) = delete;
  TransportDriver& operator=(const TransportDriver&) = delete;
  // Called before anything else.
  void bind(Transport& transport, TimerQueue& timers);

  // --- turns: true: something happened -----------------------------------------------------------
  // The turn of a thread that polls. Inlined, because a function call would cost each dequeue five
  // instructions.
  [[gnu::always_inline]] bool poll() {
    DATUM_ASSERT(lock_.held() && transport_ != nullptr);
    const std::uint32_t count = meter_.begin_poll();
    // This poll does the work that was left behind, so no backoff has to end for that work.
    if (pending_.is_wanted()) [[unlikely]]
      pending_.clear();
    const bool worked = progress(*transport_);
    meter_.end_poll();
    if (!meter_.is_thorough(count)) [[likely]]
      return worked;
    return poll_thoroughly(count, worked);
  }
  // The turn of a thread that sleeps between turns.
  bool look();
  bool handle_what_is_ready(Instant now);
  // Handles descriptors that were found ready without the lock.
  void handle(const ReadyBatch& ready);
  // When the next turn is due although no peer rings: a timer, or watch().
  Instant next_turn() const { return std::min(timers_->next(), transport_->watch(places_.now())); }

  // --- what peers know ---------------------------------------------------------------------------
  void start_polling();
  // True: work may have come meanwhile, so the caller has to look again.
  bool stop_polling();
  // For a thread that polls before it sleeps (linger.h). Its polls say nothing about how often the
  // consumer's threads poll. end_lingering(): as stop_polling().
  void begin_lingering();
  bool end_lingering();

  // True: when the adapter was opened, the process might run on several processors.
  bool has_core_to_spare() const { return core_to_spare_; }
  // True: data comes by descriptors, so every poll is thorough, and the background thread leaves
  // the descriptors to the threads that poll.
  bool data_by_descriptors() const { return transport_->data_by_descriptors(); }
  // True: all peers run on the only core of this thread, so a thread that has polled in vain may
  // have to give it up.
  bool shares_core() const { return shares_core_; }
  Handover& handover() { return handover_; }
  const Handover& handover() const { return handover_; }
  PollMeter& meter() { return meter_; }
  const PollMeter& meter() const { return meter_; }
  PendingLook& pending() { return pending_; }
  const PendingLook& pending() const { return pending_; }

 private:
  static bool progress(Transport& transport);
  static bool run(TimerQueue& timers, Instant now);
  bool poll_thoroughly(std::uint32_t count, bool worked);
  bool should_look_at_descriptors(Instant now) const;
  bool polls_all_the_time(Instant now, Duration since, std::uint32_t polls) const;
  void find_sharing();
  void decide_on_stepping_aside(bool in_vain);
  void choose_thoroughness();

  LockOwner& lock_;
  Places& places_;
  const bool core_to_spare_;
  Transport* transport_ = nullptr;
  TimerQueue* timers_ = nullptr;
  Handover handover_;
  PollMeter meter_;
  PendingLook pending_;
  DescriptorPace pace_;
  bool shares_core_ = false;
  bool may_step_aside_ = false; // granted, and no thread has done so yet
  // Since a thread stepped aside, a thread that sleeps between turns has found something.
  bool others_found_ = false;
  // Keeps the pace: a program that only polls has no other use for the core.
  TryBudget asides_{1, TryBudget::InVain::KeepPace};
  // When descriptors were last handled by a thread that does not poll all the time.
  Instant looked_at_ = 0;
  // Of the polls that read the clock while no thread counts as polling: the last one, and the first
  // of those that were no more than kWakeUp (or kTurns) apart.
  Instant last_poll_ = 0;
  Instant row_began_ = 0;
  Instant polled_before_lingering_ = 0; // PollMeter::last_timed_poll()
};

} // namespace datum
