// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_adapter.h: what an adapter of a simulated world stands on.
// Lives here: fabric, links, timers, random numbers and progress of one adapter; the process's
//             shared world.
// Threads:    the adapter's lock; start() with it, stop() and destruction without it.
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

// The place of a process's one world. Never destroyed, so that several modules may share it.
struct SimWorldPlace {
  std::mutex mutex;
  std::weak_ptr<SharedSimWorld>* current = nullptr; // the first user makes it
};

// The world at that place. Every adapter opened while another is open joins it, whatever its own
// options are.
std::shared_ptr<SharedSimWorld> shared_sim_world(SimWorldPlace& place, const SimOptions& options);

class SimAdapter final : private SimParticipant {
 public:
  // In one thread, in virtual time.
  SimAdapter(SimWorld& world, VirtualTime& time, LockOwner& lock, const LinkOptions& options);
  // Among threads.
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

  // In virtual time only: whether the adapter works whenever it can, or only when its doorbell
  // rings, a timer expires or it is woken.
  void set_attention(Attention attention);
  // It will never do anything again.
  void kill();

 private:
  bool run(Instant now) override;
  Instant next_timer() const override { return next_timer_.load(std::memory_order_relaxed); }
  bool may_sleep_on(Instant now);

  std::shared_ptr<SharedSimWorld> shared_; // among threads
  SimWorld& world_;
  VirtualTime* time_ = nullptr; // in one thread
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
