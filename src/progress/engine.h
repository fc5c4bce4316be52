// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/engine.h: drives one adapter's transport. A polling thread does it; else the thread that
// sleeps at the doorbell; else the background thread.
// Lives here: polling, waiting, the work of the background thread, when peers have to ring.
// Not here:   which thread owns the doorbell (doorbell.h), sleeping itself (places.h), threads
//             (threaded_progress.h).
// Threads:    every call holds the adapter's lock, except run_background() and request_stop().
#pragma once

#include <atomic>
#include <cstdint>

#include "core/port/progress.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "core/port/waiting.h"
#include "progress/backoff_plan.h"
#include "progress/doorbell.h"
#include "progress/places.h"
#include "progress/spin_budget.h"

namespace datum {

class ProgressEngine : public Progress {
 public:
  ProgressEngine(LockOwner& lock, Places& places);
  // Called before anything else.
  void bind(Transport& transport, TimerQueue& timers);

  bool poll() final;
  WaitResult wait(WaitPoint& point, Instant deadline) final;
  void signal(WaitPoint& point) final;
  void wake() final;
  void wake_promptly() final;
  void copying() final;
  void copied(std::uint64_t octets) final;
  Instant now() final { return places_.now(); }

  // The background thread: announced with the lock held, run without it.
  void announce_background();
  void retract_background() { doorbell_.background_gone(); }
  void run_background();
  // Makes run_background() return soon. The caller does not hold the lock.
  void request_stop();

 private:
  enum class BackoffEnd : std::uint8_t { AsPlanned, Rung, Wanted };
  enum class PassEnd : std::uint8_t {
    Looked,
    Woken, // a waiter has left, or a thread has started to poll
    Rung,
    Quiet, // other threads are no longer busy
  };

  // If data comes by descriptors, every poll looks at them, and the background thread stays away.
  bool data_by_descriptors() const { return transport_->data_by_descriptors(); }
  bool progress_transport();
  bool run_timers(Instant time);
  bool poll_thoroughly(std::uint32_t count);
  bool handle_what_is_ready(Instant time);
  bool nobody_looks_at_descriptors(Instant time) const;
  void choose_polls_between() {
    const std::uint32_t most =
        doorbell_.polling() ? waiting::kPollsBetweenPolling : waiting::kPollsBetweenAsleep;
    polls_between_ = data_by_descriptors() ? 1 : most;
  }
  // The lock is held, or the background thread has ended and the adapter is taken down.
  bool has_no_company() const {
    return lock_.held() || doorbell_.background() == Doorbell::Background::Absent;
  }
  bool look();
  void nobody_is_wanted();
  void start_polling();
  // True: work may have come meanwhile; look again.
  bool stop_polling();
  void carry_out(const WakeUps& wake_ups);
  void breathe();

  class Waiting;
  class Asleep;
  bool spin(const WaitPoint& point, Instant start, Instant deadline);
  WaitResult sleep(WaitPoint& point, Instant deadline);
  Wake sleep_once(Sleeper& me, Instant deadline);
  bool may_leave_the_rest() const;

  PassEnd background_pass(PassEnd last);
  PassEnd back_off();
  BackoffEnd back_off_once();
  bool wanted() const;
  bool somebody_polls() const;
  bool others_look();
  Activity activity() const;
  PassEnd look_after_doorbell();
  PassEnd background_sleep(bool with_doorbell, Instant until);

  LockOwner& lock_;
  Places& places_;
  const bool core_to_spare_; // when the adapter was opened
  Transport* transport_ = nullptr;
  TimerQueue* timers_ = nullptr;
  Doorbell doorbell_;
  SpinBudget spin_;

  // Written with the lock, read by the background thread without it.
  std::atomic<std::uint32_t> polls_{0};
  std::atomic<std::uint32_t> waits_{0}; // that have ended
  std::atomic<Instant> last_thorough_{0};
  // a thread that has polled since its last copy is copying again
  std::atomic<bool> copying_{false};
  std::atomic<bool> wake_wanted_{false}; // since the last poll or look
  std::atomic<bool> urgent_{false};      // and a thread has to look within 100 us
  std::atomic<bool> stopping_{false};
  // Written by the background thread as it begins to back off, read with the lock.
  std::atomic<Instant> backoff_end_{0};
  std::atomic<bool> backoff_shortened_{false}; // the current backoff has been told to end sooner

  std::uint32_t counts_as_ = 1; // the next poll counts as this many: for what was copied before it
  std::uint32_t polls_before_copy_ = 0; // when the last copy began
  bool in_poll_ = false;
  std::uint32_t thorough_at_ = 0; // the value of polls_ when a poll last looked at the clock
  std::uint32_t polls_between_ = waiting::kPollsBetweenAsleep;
  Instant looked_at_ = 0;        // at descriptors, by a thread that does not poll all the time
  Instant next_descriptors_ = 0; // when a poller looks at descriptors again
  Duration descriptor_gap_ = 0;
  BackoffPlan plan_; // the background thread's
};

} // namespace datum
