// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stage_world.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace datum::test {

void StageLock::acquire() {
  stage_.block([this] { return !held_; }, kNever);
  held_ = true;
  ++acquisitions_;
}

void StageLock::relinquish() {
  const std::function<void()> work = std::exchange(deferred_, nullptr);
  held_ = false;
  stage_.yield();
  if (work) work();
}

void StageLock::let_in() {
  ++times_let_in_;
  LockOwner::let_in();
}

Wake StagePlaces::sleep_at_doorbell(Instant until, ReadyBatch& ready) {
  stage_.yield();
  stage_.block([this] { return owner_wake_ups_ != 0 || doorbell_rung_ || interrupts_ != 0; },
               until);
  ready.count = doorbell_rung_ ? 1 : 0;
  if (doorbell_rung_ || owner_wake_ups_ != 0) return Wake::Event;
  return take_interrupt() ? Wake::Interrupted : Wake::TimedOut;
}

Wake StagePlaces::sleep_beside(const Sleeper& sleeper, Instant until) {
  stage_.yield();
  const auto woken = [&sleeper] { return sleeper.word.load(std::memory_order_relaxed) != 0; };
  stage_.block([&] { return woken() || interrupts_ != 0; }, until);
  if (woken()) return Wake::Event;
  return take_interrupt() ? Wake::Interrupted : Wake::TimedOut;
}

bool StagePlaces::sleep_in_background(bool with_doorbell, Instant until) {
  stage_.yield();
  ++background_sleeps_;
  const auto rung = [this, with_doorbell] {
    return with_doorbell && (doorbell_rung_ || owner_wake_ups_ != 0);
  };
  stage_.block([&] { return background_wake_ups_ != 0 || rung() || prompt_wake_due_; }, until);
  prompt_wake_due_ = false;
  return rung();
}

// The timer is an actor of its own.
void StagePlaces::wake_background_by(Instant by) {
  if (refuses_prompt_wakes) return;
  stage_.add([this, by] {
    stage_.block([] { return false; }, by);
    prompt_wake_due_ = true;
  });
}

void StagePlaces::yield() {
  ++times_aside_;
  stage_.block([] { return false; }, stage_.now() + 500);
}

// If the engine took back a wake-up that it never gave, the real places would hang or lose a
// wake-up.
void StagePlaces::take_back_owner_wake_up() {
  if (--owner_wake_ups_ != 0) std::abort();
}
void StagePlaces::take_back_background_wake_up() {
  if (--background_wake_ups_ != 0) std::abort();
}

bool StagePlaces::handle(const ReadyBatch& ready) {
  return ready.count != 0 && handle_what_is_ready();
}

bool StagePlaces::handle_what_is_ready() {
  ++descriptor_looks_;
  if (!std::exchange(doorbell_rung_, false)) return false;
  stage_.yield();
  transport_->progress();
  return true;
}

void StageTransport::send(std::size_t queue) {
  inbox_.push_back({queue, stage_.now()});
  stage_.yield();
  const bool must_ring = !attentive_;
  stage_.yield();
  if (must_ring) places_->ring();
}

void StageTransport::send_and_watch(std::size_t queue) {
  send(queue);
  const auto taken = [this] { return inbox_.empty(); };
  // Does as Link::watch() does for a sender that polls. Link::watch() checks every 40 us, and rings
  // after 50 us.
  if (!stage_.block(taken, stage_.now() + 120'000)) places_->ring();
}

void StageTransport::leave_behind() {
  if (left_behind_ == kNever) left_behind_ = stage_.now();
  progress_->wake();
}

void StageTransport::leave_behind_with_a_prompt_wake() {
  if (left_behind_ == kNever) left_behind_ = stage_.now();
  progress_->wake_promptly();
}

bool StageTransport::progress() {
  stage_.yield();
  if (waking_looks > 0) {
    --waking_looks;
    progress_->wake();
  }
  if (left_behind_ != kNever) {
    longest_left_behind_ = std::max(longest_left_behind_, stage_.now() - left_behind_);
    left_behind_ = kNever;
  }
  const std::vector<Message> messages = std::exchange(inbox_, {});
  for (const Message& message : messages) {
    longest_delay_ = std::max(longest_delay_, stage_.now() - message.sent);
    ++arrived[message.queue];
    if (on_arrival[message.queue]) on_arrival[message.queue]();
    WaitPoint* point = waiting[message.queue];
    if (point != nullptr && !point->signalled) progress_->signal(*point);
  }
  return !messages.empty();
}

bool StageTransport::set_attention(Attention attention) {
  ++attention_changes_;
  stage_.yield(); // a peer may still see the old value
  attentive_ = attention == Attention::Polling;
  stage_.yield();
  return !inbox_.empty();
}

StageWorld::StageWorld(std::uint64_t seed, bool core_to_spare)
    : stage(seed), lock(stage), places(stage, core_to_spare), transport(stage),
      engine(lock, places) {
  places.attach(transport);
  transport.attach_places(places);
  transport.attach_progress(engine);
  engine.bind(transport, timers);
}

void StageWorld::start_background() {
  stage.add([this] {
    lock.acquire();
    engine.announce_background();
    lock.relinquish();
    engine.run_background();
  });
}

Stage::End StageWorld::close() {
  stage.add([this] { engine.request_stop(); });
  return stage.run();
}

void StageWorld::wait_for(std::size_t queue, int count) {
  while (true) {
    lock.acquire();
    WaitPoint point;
    transport.waiting[queue] = &point;
    while (transport.arrived[queue] < count && !point.signalled)
      static_cast<void>(engine.wait(point, kNever));
    transport.waiting[queue] = nullptr;
    const bool done = transport.arrived[queue] >= count;
    lock.relinquish();
    if (done) return;
  }
}

void StageWorld::poll_for(std::size_t queue, int count) {
  for (bool done = false; !done;) {
    lock.acquire();
    engine.poll();
    done = transport.arrived[queue] >= count;
    lock.relinquish();
  }
}

void StageWorld::poll_until(Instant end) {
  do {
    lock.acquire();
    engine.poll();
    lock.relinquish();
  } while (stage.now() < end);
}

void StageWorld::pass_some_time() {
  // The next event may fall within a step, within the spinning phase, within a tick, or after the
  // tick.
  constexpr std::array<std::uint64_t, 4> kScales{1'000, 25'000, 100'000, 400'000};
  pass(static_cast<Duration>(stage.random(kScales[stage.random(kScales.size())])));
}

void StageWorld::pass(Duration time) {
  stage.block([] { return false; }, stage.now() + time);
}

} // namespace datum::test
