// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/progress/stage_world.h: one adapter on a stage. It has a lock, places to sleep, and a
// transport. The transport's peer puts messages into memory and rings the doorbell only if the
// adapter does not poll.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/port/timer.h"
#include "progress/engine.h"
#include "stage.h"
#include "unreachable_transport.h"

namespace datum::test {

class StageLock final : public LockOwner {
 public:
  explicit StageLock(Stage& stage) : stage_(stage) {}
  void acquire() override;
  void relinquish() override;
  void let_in() override;
  bool held() const override { return held_; }
  bool has_deferred() const override { return static_cast<bool>(deferred_); }
  // The thread that next gives up the lock does this work after that.
  void put_off(std::function<void()> work) { deferred_ = std::move(work); }
  int acquisitions() const { return acquisitions_; }
  int times_let_in() const { return times_let_in_; }

 private:
  Stage& stage_;
  bool held_ = false;
  std::function<void()> deferred_;
  int acquisitions_ = 0;
  int times_let_in_ = 0;
};

class StageTransport;

class StagePlaces final : public Places {
 public:
  bool refuses_prompt_wakes = false; // as a filter that refuses the timer

  StagePlaces(Stage& stage, bool core_to_spare) : stage_(stage), core_to_spare_(core_to_spare) {}
  void attach(StageTransport& transport) { transport_ = &transport; }
  void ring() { doorbell_rung_ = true; }
  // Interrupts the thread that sleeps in wait(), or the next one that does.
  void interrupt() { interrupts_ = 1; }
  int wake_ups() const { return wake_ups_; }
  int background_sleeps() const { return background_sleeps_; }
  int descriptor_looks() const { return descriptor_looks_; }
  int times_aside() const { return times_aside_; }

  Instant now() override { return stage_.now(); }
  bool core_to_spare() const override { return core_to_spare_; }
  Wake sleep_at_doorbell(Instant until, ReadyBatch& ready) override;
  Wake sleep_beside(const Sleeper& sleeper, Instant until) override;
  bool sleep_in_background(bool with_doorbell, Instant until) override;
  void yield() override;
  void wake_owner() override { ++owner_wake_ups_, ++wake_ups_; }
  void wake_background() override { ++background_wake_ups_, ++wake_ups_; }
  void wake_background_by(Instant by) override;
  void wake(Sleeper&) override { ++wake_ups_; }
  void take_back_owner_wake_up() override;
  void take_back_background_wake_up() override;
  bool handle(const ReadyBatch& ready) override;
  bool handle_what_is_ready() override;
  bool handle_polling() override { return handle_what_is_ready(); }

 private:
  bool take_interrupt() { return interrupts_ != 0 && interrupts_-- != 0; }
  Stage& stage_;
  StageTransport* transport_ = nullptr;
  bool core_to_spare_;
  bool doorbell_rung_ = false;
  int interrupts_ = 0;
  int owner_wake_ups_ = 0;
  int background_wake_ups_ = 0;
  bool prompt_wake_due_ = false;
  int wake_ups_ = 0;
  int background_sleeps_ = 0;
  int descriptor_looks_ = 0;
  int times_aside_ = 0;
};

// A message for one of a few event queues, and when it was sent.
struct Message {
  std::size_t queue = 0;
  Instant sent = 0;
};

class StageTransport final : public UnreachableTransport {
 public:
  static constexpr std::size_t kQueues = 3;
  explicit StageTransport(Stage& stage) : stage_(stage) {}
  void attach_places(StagePlaces& places) { places_ = &places; }
  void attach_progress(Progress& progress) { progress_ = &progress; }

  // --- the peer: takes no lock -------------------------------------------------------------
  void send(std::size_t queue);
  bool attentive() const { return attentive_; }

  // As send(), by a peer that goes on polling and watches the link.
  void send_and_watch(std::size_t queue);
  // --- the adapter: the lock is held -----------------------------------------------------------
  // Leaves work that progress() will have to send.
  void leave_behind();
  // As leave_behind(), for work that cannot wait.
  void leave_behind_with_a_prompt_wake();
  bool has_left_behind() const { return left_behind_ != kNever; }
  // The number of calls of progress() that will find nothing and wake a thread, for example for
  // lack of room.
  int waking_looks = 0;
  bool lying = false; // the peer has not taken what was sent
  int watches = 0;    // calls of watch()
  Duration longest_delay() const { return longest_delay_; }
  Duration longest_left_behind() const { return longest_left_behind_; }
  int attention_changes() const { return attention_changes_; }
  // Whether all data come by descriptors.
  bool comes_by_descriptors = false;
  Duration gap = 0; // the answer of descriptor_gap() then
  std::array<int, kQueues> arrived{};
  std::array<WaitPoint*, kQueues> waiting{};
  std::array<std::function<void()>, kQueues> on_arrival{};

  bool progress() override;
  bool set_attention(Attention attention) override;
  Instant watch(Instant) override {
    ++watches;
    return lying ? stage_.now() + 50'000 : kNever;
  }
  bool data_by_descriptors() const override { return comes_by_descriptors; }
  Duration descriptor_gap() const override {
    return comes_by_descriptors ? gap : waiting::kDoorbellsOnly;
  }

 private:
  Stage& stage_;
  StagePlaces* places_ = nullptr;
  Progress* progress_ = nullptr;
  bool attentive_ = true; // until told otherwise
  int attention_changes_ = 0;
  std::vector<Message> inbox_;
  Instant left_behind_ = kNever; // since when
  Duration longest_delay_ = 0;
  Duration longest_left_behind_ = 0;
};

// All of the above, with the background thread as an actor.
class StageWorld {
 public:
  StageWorld(std::uint64_t seed, bool core_to_spare);
  void start_background();
  // Asks the background thread to end, and runs until it has.
  Stage::End close();

  // Takes the lock, and sleeps in wait() until queue `queue` has had `count` messages.
  void wait_for(std::size_t queue, int count);
  // Polls until queue `queue` has had `count` messages.
  void poll_for(std::size_t queue, int count);
  // Polls all the time until `end`, at least once, so that peers stop ringing.
  void poll_until(Instant end);
  // Time passes, and the thread does nothing that the adapter would notice.
  void pass(Duration time);
  void pass_some_time();

  Stage stage;
  StageLock lock;
  StagePlaces places;
  StageTransport transport;
  TimerQueue timers;
  ProgressEngine engine;
};

} // namespace datum::test
