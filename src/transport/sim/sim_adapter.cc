// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_adapter.h"

namespace datum {

std::shared_ptr<SharedSimWorld> shared_sim_world(SimWorldPlace& place, const SimOptions& options) {
  const std::lock_guard lock(place.mutex);
  if (place.current == nullptr) place.current = new std::weak_ptr<SharedSimWorld>;
  std::shared_ptr<SharedSimWorld> world = place.current->lock();
  if (!world) {
    world = std::make_shared<SharedSimWorld>(options);
    *place.current = world;
  }
  return world;
}

SimAdapter::SimAdapter(SimWorld& world, VirtualTime& time, LockOwner& lock,
                       const LinkOptions& options)
    : world_(world), time_(&time), lock_(lock), random_(world.random()), fabric_(world),
      transport_(fabric_, options) {
  pure_.emplace(SimProgressParts{lock, transport_, timers_}, world_, time);
}

SimAdapter::SimAdapter(std::shared_ptr<SharedSimWorld> shared, LockOwner& lock,
                       const LinkOptions& options)
    : shared_(std::move(shared)), world_(shared_->world), lock_(lock), random_(world_.random()),
      fabric_(world_), transport_(fabric_, options) {
  driven_.emplace(SimProgressParts{lock, transport_, timers_}, shared_->driver);
}

SimAdapter::~SimAdapter() {
  stop();
}

Progress& SimAdapter::progress() {
  if (pure_) return *pure_;
  return *driven_;
}

void SimAdapter::start() {
  started_ = true;
  if (time_ != nullptr) {
    time_->add(*this);
    return;
  }
  // No thread polls this adapter all the time, so a side that publishes has to ring.
  asleep_ = true;
  static_cast<void>(transport_.set_attention(Attention::Asleep));
  shared_->driver.add(*this);
}

void SimAdapter::stop() {
  if (!std::exchange(started_, false)) return;
  if (time_ != nullptr)
    time_->remove(*this);
  else
    shared_->driver.remove(*this);
}

void SimAdapter::set_attention(Attention attention) {
  asleep_ = attention == Attention::Asleep;
  if (transport_.set_attention(attention)) awake_ = true;
}

void SimAdapter::kill() {
  dead_ = true;
  next_timer_.store(kNever, std::memory_order_relaxed);
  world_.kill(fabric_.id());
}

// True: in virtual time, a sleeping adapter has no reason to work now.
bool SimAdapter::may_sleep_on(Instant now) {
  if (time_ == nullptr || !asleep_) return false;
  if (pure_->take_wake() || world_.has_due(fabric_.id()) || timers_.next() <= now) awake_ = true;
  return !awake_;
}

bool SimAdapter::run(Instant now) {
  if (dead_) return false;
  lock_.acquire();
  bool any = false;
  if (!may_sleep_on(now)) {
    any = timers_.run(now);
    any = transport_.progress() || any;
    awake_ = any;
  }
  next_timer_.store(timers_.next(), std::memory_order_relaxed);
  lock_.relinquish();
  return any;
}

} // namespace datum
