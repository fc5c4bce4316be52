// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_world.h: a network in virtual time under one seed.
// Lives here: the clock, the events and their times, which adapter has which qualifier, links,
//             faults.
// Not here:   driving the adapters (virtual_time.h in one thread, sim_driver.h among threads).
// Threads:    any. The world's lock is taken after an adapter's lock, and no code outside the world
//             runs under it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/random.h"
#include "base/time.h"
#include "core/port/types.h"
#include "transport/sim/sim_link.h"
#include "transport/sim/sim_options.h"

namespace datum {

class SimFabric;

// A dial under way. `events` is null after the dial was cancelled. It is accessed under the
// dialler's lock.
struct SimDialState {
  DialEvents* events = nullptr;
};

// How many of 1000 dials fail, by kind of failure.
struct SimFaults {
  std::uint32_t refused = 0;
  std::uint32_t unreachable = 0;
  std::uint32_t out_of_resources = 0;
};

class SimWorld {
 public:
  using Id = std::uint32_t;
  using Happening = std::function<void()>;             // an event of the world
  using FabricEvent = std::function<void(SimFabric&)>; // an event of one adapter, under its lock

  explicit SimWorld(const SimOptions& options);
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  const SimOptions& options() const { return options_; }
  const Address& address() const { return address_; }
  Instant now() const { return now_.load(std::memory_order_relaxed); }
  std::uint64_t random() DATUM_EXCLUDES(mutex_);
  // Links call this under the world's lock.
  Duration random_delay() DATUM_NO_TSA {
    return random_between(options_.shortest_delay, options_.longest_delay);
  }

  // True: a driver runs the world among threads. No thread polls all the time, so a side that
  // publishes has to ring.
  bool doorbells() const { return waker_ != nullptr; }
  // Called whenever there may be work. Set before the first adapter joins.
  void set_waker(Happening waker) { waker_ = std::move(waker); }

  // --- time --------------------------------------------------------------------------------------
  // Carries records and runs events that are due. True: something happened.
  bool run_due() DATUM_EXCLUDES(mutex_);
  // When the next event happens. kNever: no event is to come.
  Instant next() DATUM_EXCLUDES(mutex_);
  void advance_to(Instant when);
  bool has_due(Id member) DATUM_EXCLUDES(mutex_);

  // --- adapters ----------------------------------------------------------------------------------
  Id join() DATUM_EXCLUDES(mutex_);
  // Ends the adapter in an orderly way: records that it has sent still arrive.
  void leave(Id member) DATUM_EXCLUDES(mutex_);
  bool alive(Id member) DATUM_EXCLUDES(mutex_);
  SimRegions regions(Id member) DATUM_EXCLUDES(mutex_);
  // Runs the events that are due for `member`. The caller holds the adapter's lock.
  bool run_inbox(Id member, SimFabric& fabric) DATUM_EXCLUDES(mutex_);

  // --- names and links ---------------------------------------------------------------------------
  bool publish(ConnQual qualifier, Id member) DATUM_EXCLUDES(mutex_);
  // 0: no qualifier is left.
  ConnQual publish_any(Id member) DATUM_EXCLUDES(mutex_);
  void unpublish(ConnQual qualifier) DATUM_EXCLUDES(mutex_);
  bool reaches(const Address& address) const;
  bool out_of_resources() DATUM_EXCLUDES(mutex_);
  void dial(Id from, ConnQual qualifier, bool reachable, std::shared_ptr<SimDialState> dial)
      DATUM_EXCLUDES(mutex_);
  void ring(SimLink& link, int side) DATUM_EXCLUDES(mutex_);
  void on_idle(SimLink& link, int side) DATUM_EXCLUDES(mutex_);
  // Delivers the records that `side` has published.
  void bring_published(SimLink& link, int side) DATUM_EXCLUDES(mutex_);

  // --- faults ------------------------------------------------------------------------------------
  void set_faults(const SimFaults& faults) DATUM_EXCLUDES(mutex_);
  // Ends the link. Records under way are lost, and each end is told of the loss at a time of its
  // own.
  void cut(SimLink& link) DATUM_EXCLUDES(mutex_);
  // Cuts one of the links that stand, chosen by `choice`. False: no link stands.
  bool cut_any(std::uint64_t choice) DATUM_EXCLUDES(mutex_);
  // The adapter ends without notice. Its peers learn of that within a second.
  void kill(Id member) DATUM_EXCLUDES(mutex_);
  std::size_t links() DATUM_EXCLUDES(mutex_);

 private:
  struct Key {
    Instant when;
    std::uint64_t sequence;
    // clang-tidy 14 takes a 0 in the generated operator for a pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Key&) const = default;
  };
  struct Member {
    std::map<Key, FabricEvent> inbox;
    SimRegions regions;
    bool dead = false;
  };
  Key key_in(Duration delay) DATUM_REQUIRES(mutex_);
  Duration random_between(Duration low, Duration high) DATUM_REQUIRES(mutex_);
  std::shared_ptr<SimLink> make_link(Id from, Id to) DATUM_REQUIRES(mutex_);
  bool by_chance(std::uint32_t in_thousand) DATUM_REQUIRES(mutex_);
  void post(Id to, Duration delay, FabricEvent event) DATUM_REQUIRES(mutex_);
  void arrive(Id from, ConnQual qualifier, bool reachable,
              const std::shared_ptr<SimDialState>& dial) DATUM_EXCLUDES(mutex_);
  std::shared_ptr<SimLink> link_between(Id from, Id to, int& side) DATUM_REQUIRES(mutex_);
  void ring_locked(SimLink& link, int side) DATUM_REQUIRES(mutex_);
  void lose(SimLink& link, Duration soonest, Duration latest) DATUM_REQUIRES(mutex_);
  bool carry_records() DATUM_REQUIRES(mutex_);
  void end_member(Id member, bool orderly) DATUM_REQUIRES(mutex_);
  void wake() {
    if (waker_) waker_();
  }

  const SimOptions options_;
  Address address_;
  Happening waker_;
  std::atomic<Instant> now_{kSecond};
  Mutex mutex_;
  SeededRandom random_ DATUM_GUARDED_BY(mutex_);
  SimFaults faults_ DATUM_GUARDED_BY(mutex_);
  std::uint64_t sequence_ DATUM_GUARDED_BY(mutex_) = 0;
  Id last_member_ DATUM_GUARDED_BY(mutex_) = 0;
  std::map<Key, Happening> happenings_ DATUM_GUARDED_BY(mutex_);
  std::map<Id, Member> members_ DATUM_GUARDED_BY(mutex_);
  std::map<ConnQual, Id> names_ DATUM_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<SimLink>> links_ DATUM_GUARDED_BY(mutex_);
};

} // namespace datum
