// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_adapter.h: what an adapter in a simulated world has below the core.
// Lives here: fabric, links, timers, random numbers and progress of one adapter; the process's
//             shared world.
// Threads:    the adapter's lock. start() is called with the lock held, stop() and the destructor
//             without it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/random.h"
#include "core/port/progress.h"
#include "core/port/timer.h"
#include "transport/link/link_transport.h"
#include "transport/sim/sim_driver.h"
#include "transport/sim/sim_fabric.h"
#include "transport/sim/sim_participant.h"
#include "transport/sim/sim_progress.h"
#include "transport/sim/sim_world.h"
#include "transport/sim/virtual_time.h"

namespace datum {

// A world whose adapters belong to real threads.
struct SharedSimWorld {
  explicit SharedSimWorld(const SimOptions& options) : world(options), driver(world) {}
  SimWorld world;
  SimDriver driver;
};

// Refers to the only world of a process. This object is never destroyed, because several modules
// share it.
struct SimWorldPlace {
  std::mutex mutex;
  std::weak_ptr<SharedSimWorld>* current = nullptr; // the first user makes it
};

// The world that `place` refers to. While an adapter of that world is open, every further adapter
// joins the same world, and its own `options` are ignored.
std::shared_ptr<SharedSimWorld> shared_sim_world(SimWorldPlace& place, const SimOptions& options);

class SimAdapter final : private SimParticipant {
 public:
  // For one thread, in virtual time.
  SimAdapter(SimWorld& world, VirtualTime& time, LockOwner& lock, const LinkOptions& options);
  // For several threads, in real time.
  SimAdapter(std::shared_ptr<SharedSimWorld> shared, LockOwner& lock, const LinkOptions& options);
  ~SimAdapter();
  SimAdapter(const SimAdapter&) = delete;
  SimAdapter& operator=(const SimAdapter&) = delete;

  Transport& transport() { return transport_; }
  Progress& progress();
  TimerQueue& timers() { return timers_; }
  Random& random() { return random_; }
  SimWorld::Id id() const { return fabric_.id(); }

  void start();
  void stop();

  // In virtual time only. Polling: the adapter works whenever the world lets it. Asleep: it works
  // only when its doorbell rings, a timer expires or it is woken.
  void set_attention(Attention attention);
  // The adapter never runs again, as if its process had died.
  void kill();

 private:
  bool run(Instant now) override;
  Instant next_timer() const override { return next_timer_.load(std::memory_order_relaxed); }
  bool may_sleep_on(Instant now);

  std::shared_ptr<SharedSimWorld> shared_; // with several threads
  SimWorld& world_;
  VirtualTime* time_ = nullptr; // with one thread
  LockOwner& lock_;
  TimerQueue timers_;
  SeededRandom random_;
  SimFabric fabric_;
  LinkTransport transport_;
  std::optional<PureSimProgress> pure_;
  std::optional<DrivenSimProgress> driven_;
  std::atomic<Instant> next_timer_{kNever};
  bool started_ = false;
  bool asleep_ = false;
  bool awake_ = false;
  bool dead_ = false;
};

} // namespace datum
