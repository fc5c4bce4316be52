// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Waking inside a process: a signal wakes a thread that sleeps beside the doorbell, and a prompt
// wake ends a backoff early.
#include <new>
#include <optional>

#include "../unit/progress/unreachable_transport.h"
#include "progress/engine.h"
#include "progress/kernel_places.h"
#include "scenes.h"

namespace datum::test {
namespace {

// The adapter's lock. Other scenes test the lock itself.
class SceneLock final : public LockOwner {
 public:
  explicit SceneLock(Machine& machine) : machine_(machine) {}
  void acquire() override {
    machine_.act(
        this, [this] { return !held_; },
        [this] {
          machine_.synchronize(this);
          held_ = true;
        });
  }
  void relinquish() override {
    machine_.act(
        this, [] { return true; },
        [this] {
          machine_.synchronize(this);
          held_ = false;
        });
  }

 private:
  Machine& machine_;
  bool held_ = false;
};

// --- beside the doorbell -------------------------------------------------------------------------

KernelPlaces& kernel() {
  static KernelPlaces places;
  return places;
}

// One thread waits for an event, and another thread signals the event.
class SleeperScene final : public Scene {
 public:
  void begin(Machine& machine) override {
    shared_ = new (&memory_) Shared;
    lock_.emplace(machine);
    shared_->doorbell.claim(shared_->owner);
    machine.share(shared_, sizeof *shared_, "doorbell");
    machine.add([this, &machine] { wait(machine); });
    machine.add([this] { signal(); });
  }
  void end(Machine& machine, bool finished) override {
    if (!finished) machine.fail("a waiter sleeps for ever");
  }

 private:
  struct Shared {
    Doorbell doorbell;
    Sleeper owner;
    Sleeper waiter;
    std::uint32_t signalled = 0;
  };
  void wait(Machine& machine) {
    lock_->acquire();
    while (shared_->signalled == 0) {
      shared_->doorbell.line_up(shared_->waiter);
      lock_->relinquish();
      if (kernel().sleep_beside(shared_->waiter, kNever) == Wake::TimedOut)
        machine.fail("a waiter is not woken");
      lock_->acquire();
      shared_->doorbell.woke(shared_->waiter);
    }
    lock_->relinquish();
  }
  void signal() {
    lock_->acquire();
    shared_->signalled = 1;
    const WakeUps wake_ups = shared_->doorbell.signal(shared_->waiter);
    if (wake_ups.sleeper != nullptr) kernel().wake(*wake_ups.sleeper);
    lock_->relinquish();
  }

  alignas(64) std::byte memory_[sizeof(Shared)];
  Shared* shared_ = nullptr;
  std::optional<SceneLock> lock_;
};

// --- the background thread's backoffs ------------------------------------------------------------

class CountingTransport final : public UnreachableTransport {
 public:
  bool progress() override {
    ++looks;
    return false;
  }
  bool set_attention(Attention) override { return false; }
  int looks = 0;
};

// Plays the sleeps of the background thread. In each short backoff it polls as another thread
// would, so that the backoffs grow. From the first long backoff on, a sleep is a step of the scene.
class BackoffPlaces final : public Places {
 public:
  BackoffPlaces(Machine& machine, SceneLock& lock) : machine_(machine), lock_(lock) {}
  Instant now() override { return now_; }
  bool core_to_spare() const override { return true; }
  Wake sleep_at_doorbell(Instant, ReadyBatch&) override { return Wake::Event; }
  Wake sleep_beside(const Sleeper&, Instant) override { return Wake::Event; }
  bool sleep_in_background(bool, Instant until) override {
    constexpr Duration kLong = 2 * kMillisecond;
    if (!backs_off_for_long && until - now_ < kLong) {
      lock_.acquire();
      for (std::uint32_t i = 0; i < waiting::kBusyPolls; ++i) engine->poll();
      lock_.relinquish();
      now_ += 32 * kMillisecond;
      return false;
    }
    backs_off_for_long = true;
    // The end of the backoff's time would be too late. So this sleep ends only by a wake-up.
    machine_.act(
        this, [this] { return wake_ups_ != 0 || prompt_wake_; },
        [this] {
          machine_.synchronize(this);
          prompt_wake_ = false;
        });
    return false;
  }
  void yield() override {}
  void wake_owner() override {}
  void wake_background() override {
    machine_.act(
        this, [] { return true; },
        [this] {
          machine_.synchronize(this);
          ++wake_ups_;
        });
  }
  void wake_background_by(Instant) override {
    machine_.act(
        this, [] { return true; },
        [this] {
          machine_.synchronize(this);
          prompt_wake_ = true;
        });
  }
  void wake(Sleeper&) override {}
  void take_back_owner_wake_up() override {}
  void take_back_background_wake_up() override { --wake_ups_; }
  bool handle(const ReadyBatch&) override { return false; }
  bool handle_what_is_ready() override { return false; }
  bool handle_polling() override { return false; }

  ProgressEngine* engine = nullptr;
  bool backs_off_for_long = false;

 private:
  Machine& machine_;
  SceneLock& lock_;
  Instant now_ = kSecond;
  int wake_ups_ = 0;
  bool prompt_wake_ = false;
};

class PromptWakeScene final : public Scene {
 public:
  explicit PromptWakeScene(int times) : times_(times) {}
  void begin(Machine& machine) override {
    all_.emplace(machine);
    machine.share(&all_->engine, sizeof all_->engine, "engine");
    all_->engine.announce_background();
    left_at_ = -1;
    machine.add([this, &machine] { leave_something(machine); });
    machine.add([this] { all_->engine.run_background(); });
  }
  void end(Machine& machine, bool) override {
    if (left_at_ >= 0 && all_->transport.looks == left_at_)
      machine.fail("what cannot wait lies there for the whole of a backoff");
  }

 private:
  struct All {
    explicit All(Machine& machine) : lock(machine), places(machine, lock), engine(lock, places) {
      engine.bind(transport, timers);
      places.engine = &engine;
    }
    SceneLock lock;
    BackoffPlaces places;
    CountingTransport transport;
    TimerQueue timers;
    ProgressEngine engine;
  };
  void leave_something(Machine& machine) {
    machine.act(
        &all_->places.backs_off_for_long, [this] { return all_->places.backs_off_for_long; },
        [] {});
    for (int i = 0; i < times_; ++i) {
      all_->lock.acquire();
      if (i != 0) all_->engine.poll();
      left_at_ = all_->transport.looks;
      all_->engine.wake_promptly();
      all_->lock.relinquish();
    }
  }

  const int times_;
  std::optional<All> all_;
  int left_at_ = -1;
};

} // namespace

std::vector<NamedScene> waiting_scenes() {
  return {
      {"sleeper", [] { return std::make_unique<SleeperScene>(); }, {}, Effort::All},
      {"prompt-wake", [] { return std::make_unique<PromptWakeScene>(1); }, {}, Effort::All},
      {"prompt-wake-twice", [] { return std::make_unique<PromptWakeScene>(2); }, {}, Effort::Long}};
}

} // namespace datum::test
