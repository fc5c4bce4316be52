// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/progress/bare_parts.h: what the parts of the engine need in a test of one thread: a
// lock, a simple transport, and Places. A sleep in these Places runs what the test wants other
// threads to do during the sleep.
#pragma once

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "progress/transport_driver.h"
#include "unreachable_transport.h"

namespace datum::test {

class BareLock final : public LockOwner {
 public:
  void acquire() override {
    EXPECT_FALSE(held_);
    held_ = true;
    ++acquisitions;
  }
  void relinquish() override {
    EXPECT_TRUE(held_);
    held_ = false;
    put_off = false;
    if (on_free) on_free();
  }
  void let_in() override {
    ++times_let_in;
    LockOwner::let_in();
  }
  bool held() const override { return held_; }
  bool has_deferred() const override { return put_off; }
  void let_step_aside(bool may) override { may_step_aside = may; }
  bool has_stepped_aside() override { return std::exchange(stepped_aside, false); }

  std::function<void()> on_free;
  bool put_off = false;
  bool may_step_aside = false; // as it was told last
  bool stepped_aside = false;  // a thread has done so
  int acquisitions = 0;
  int times_let_in = 0;

 private:
  bool held_ = false;
};

using Log = std::vector<std::string>;

class BarePlaces final : public Places {
 public:
  explicit BarePlaces(bool core_to_spare = true) : core_to_spare_(core_to_spare) {}

  Instant time = kSecond;
  Duration a_look_at_the_clock = 0; // how long each reading of the clock takes
  Log log;                          // sleeps and wake-ups
  Instant slept_until = 0;
  std::deque<std::function<void()>> while_asleep; // the next sleep runs the first function
  std::function<void()> while_aside;
  Wake wakes_by = Wake::Event;
  bool doorbell_rings = false; // in the background thread's next sleep at the doorbell
  bool is_ready = false;       // a descriptor is ready
  int looks = 0;               // looks at descriptors
  int handled = 0;             // batches of descriptors
  int owner_wake_ups = 0;
  int background_wake_ups = 0;

  Instant now() override { return time += a_look_at_the_clock; }
  bool core_to_spare() const override { return core_to_spare_; }
  Wake sleep_at_doorbell(Instant until, ReadyBatch&) override {
    return sleep("at doorbell", until);
  }
  Wake sleep_beside(const Sleeper&, Instant until) override { return sleep("beside", until); }
  bool sleep_in_background(bool with_doorbell, Instant until) override {
    sleep(with_doorbell ? "background at doorbell" : "background", until);
    return with_doorbell && std::exchange(doorbell_rings, false);
  }
  void yield() override {
    if (while_aside) while_aside();
  }
  void wake_owner() override { ++owner_wake_ups, log.emplace_back("wake owner"); }
  void wake_background() override { ++background_wake_ups, log.emplace_back("wake background"); }
  void wake_background_by(Instant) override {}
  void wake(Sleeper&) override { log.emplace_back("wake"); }
  void take_back_owner_wake_up() override { --owner_wake_ups; }
  void take_back_background_wake_up() override { --background_wake_ups; }
  bool handle(const ReadyBatch&) override { return ++handled, false; }
  bool handle_what_is_ready() override { return ++looks, std::exchange(is_ready, false); }
  bool handle_polling() override { return handle_what_is_ready(); }

 private:
  Wake sleep(const char* where, Instant until) {
    log.emplace_back(where);
    slept_until = until;
    if (while_asleep.empty()) {
      ADD_FAILURE() << "nobody would end this sleep";
      throw std::bad_alloc();
    }
    const std::function<void()> meanwhile = std::move(while_asleep.front());
    while_asleep.pop_front();
    meanwhile();
    return wakes_by;
  }
  const bool core_to_spare_;
};

class BareTransport final : public UnreachableTransport {
 public:
  int progresses = 0;
  std::function<bool()> on_progress;
  std::vector<Attention> attention; // each value that peers were told
  bool look_again = false;          // set_attention() asks its caller to poll again
  bool comes_by_descriptors = false;
  bool peers_share_core = false;
  Duration gap = waiting::kDoorbellsOnly;
  Instant watch_at = kNever;
  int watches = 0;

  bool progress() override { return ++progresses, on_progress && on_progress(); }
  bool set_attention(Attention said) override {
    attention.push_back(said);
    return std::exchange(look_again, false);
  }
  bool data_by_descriptors() const override { return comes_by_descriptors; }
  bool shares_core() const override { return peers_share_core; }
  Duration descriptor_gap() const override { return gap; }
  Instant watch(Instant) override { return ++watches, watch_at; }
};

class BareTimer final : public Timer {
 public:
  ~BareTimer() override { cancel(); }
  int expired = 0;
  std::function<void()> on_expiry;

 private:
  void on_expired(Instant) override {
    ++expired;
    if (on_expiry) on_expiry();
  }
};

// A driver with its surroundings. The lock is held.
class BareParts {
 public:
  explicit BareParts(bool core_to_spare = true) : places(core_to_spare), driver(lock, places) {
    driver.bind(transport, timers);
    lock.acquire();
  }
  Doorbell& doorbell() { return driver.handover().doorbell(); }
  // A background thread that sleeps at the doorbell.
  void put_background_at_doorbell() {
    doorbell().background_started();
    doorbell().take_doorbell();
  }
  // Runs without the lock, as another thread would.
  template <class F>
  void with_lock(F&& action) {
    lock.acquire();
    action();
    lock.relinquish();
  }

  BareLock lock;
  BarePlaces places;
  BareTransport transport;
  TimerQueue timers;
  TransportDriver driver;
};

// Polls as the engine does.
class Polls final : public Progress {
 public:
  explicit Polls(BareParts& parts) : parts_(parts) {}
  bool poll() override { return parts_.driver.poll(); }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint&) override {}
  void wake() override {}
  Instant now() override { return parts_.places.now(); }

 private:
  BareParts& parts_;
};

} // namespace datum::test
