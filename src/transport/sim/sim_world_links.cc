// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Links and their faults.
#include <algorithm>

#include "transport/sim/sim_fabric.h"
#include "transport/sim/sim_world.h"

namespace datum {
namespace {

// The latest time at which a peer learns that an adapter has died.
constexpr Duration kDeathNoticed = 900 * kMillisecond;

} // namespace

bool SimWorld::out_of_resources() {
  const MutexLock lock(mutex_);
  return by_chance(faults_.out_of_resources);
}

void SimWorld::dial(Id from, ConnQual qualifier, bool reachable,
                    std::shared_ptr<SimDialState> dial) {
  {
    const MutexLock lock(mutex_);
    happenings_.emplace(key_in(random_delay()),
                        [this, from, qualifier, reachable, dial = std::move(dial)] {
                          arrive(from, qualifier, reachable, dial);
                        });
  }
  wake();
}

void SimWorld::arrive(Id from, ConnQual qualifier, bool reachable,
                      const std::shared_ptr<SimDialState>& dial) {
  const MutexLock lock(mutex_);
  const auto refuse = [&](DialFailure why) DATUM_NO_TSA {
    post(from, random_delay(), [dial, why](SimFabric& fabric) { fabric.dial_failed(why, *dial); });
  };
  const auto dialler = members_.find(from);
  if (dialler == members_.end() || dialler->second.dead) return; // the dialler has ended meanwhile
  if (!reachable || by_chance(faults_.unreachable)) return refuse(DialFailure::Unreachable);
  const auto listener = names_.find(qualifier);
  if (listener == names_.end() || by_chance(faults_.refused))
    return refuse(DialFailure::NobodyListens);
  const Id to = listener->second;
  int side = 0;
  std::shared_ptr<SimLink> link = options_.share ? link_between(from, to, side) : nullptr;
  if (!link) link = make_link(from, to);
  post(from, random_delay(),
       [link, side, dial](SimFabric& fabric) { fabric.dialled(link, side, *dial); });
}

std::shared_ptr<SimLink> SimWorld::make_link(Id from, Id to) {
  auto link = std::make_shared<SimLink>(
      *this, from, to,
      std::array<SimRegions, 2>{members_.at(from).regions, members_.at(to).regions});
  links_.push_back(link);
  for (int side = 0; side < 2; ++side)
    post(link->member(side), 0,
         [link, side](SimFabric& fabric) { fabric.link_stands(link, side); });
  return link;
}

std::shared_ptr<SimLink> SimWorld::link_between(Id from, Id to, int& side) {
  for (const std::shared_ptr<SimLink>& link : links_) {
    if (!link->open) continue;
    for (side = 0; side < 2; ++side)
      if (link->member(side) == from && link->member(1 - side) == to) return link;
  }
  side = 0;
  return nullptr;
}

void SimWorld::ring_locked(SimLink& link, int side) {
  post(link.member(side), 0, [link = link.shared_from_this(), side](SimFabric& fabric) {
    fabric.doorbell_rang(*link, side);
  });
}

void SimWorld::ring(SimLink& link, int side) {
  {
    const MutexLock lock(mutex_);
    ring_locked(link, side);
  }
  wake();
}

void SimWorld::bring_published(SimLink& link, int side) {
  {
    const MutexLock lock(mutex_);
    if (!link.bring(side)) return;
    ring_locked(link, 1 - side);
  }
  wake();
}

void SimWorld::on_idle(SimLink& link, int side) {
  {
    const MutexLock lock(mutex_);
    link.idle[static_cast<std::size_t>(side)] = true;
    // A shared link stays, because a new connection may use it at any time.
    if (options_.share || !link.idle[0] || !link.idle[1] || !link.open) return;
    link.open = false;
    link.drop_records();
    lose(link, 0, options_.longest_delay);
  }
  wake();
}

// Each end is told of the loss at its own time.
void SimWorld::lose(SimLink& link, Duration soonest, Duration latest) {
  for (int side = 0; side < 2; ++side)
    post(link.member(side), random_between(soonest, latest),
         [link = link.shared_from_this(), side](SimFabric& fabric) {
           fabric.link_lost(*link, side);
         });
}

void SimWorld::set_faults(const SimFaults& faults) {
  const MutexLock lock(mutex_);
  faults_ = faults;
}

void SimWorld::cut(SimLink& link) {
  {
    const MutexLock lock(mutex_);
    if (!link.open) return;
    link.open = false;
    link.drop_records();
    lose(link, 1, options_.longest_delay + 1);
  }
  wake();
}

bool SimWorld::cut_any(std::uint64_t choice) {
  std::shared_ptr<SimLink> chosen;
  {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<SimLink>> standing;
    std::copy_if(links_.begin(), links_.end(), std::back_inserter(standing),
                 [](const auto& link) { return link->open; });
    if (standing.empty()) return false;
    chosen = standing[choice % standing.size()];
  }
  cut(*chosen);
  return true;
}

void SimWorld::end_member(Id member, bool orderly) {
  std::erase_if(names_, [member](const auto& name) { return name.second == member; });
  for (const std::shared_ptr<SimLink>& link : links_) {
    if (!link->open || (link->member(0) != member && link->member(1) != member)) continue;
    if (orderly) link->scan();
    link->open = false;
    link->orderly.store(orderly, std::memory_order_relaxed);
    const Duration arrival = std::max<Duration>(link->last() - now(), 0) + 1;
    if (orderly)
      lose(*link, arrival, arrival + options_.longest_delay);
    else
      lose(*link, 1, kDeathNoticed);
  }
}

void SimWorld::kill(Id member) {
  {
    const MutexLock lock(mutex_);
    end_member(member, false);
    Member& gone = members_.at(member);
    gone.dead = true;
    gone.inbox.clear();
  }
  wake();
}

void SimWorld::leave(Id member) {
  {
    const MutexLock lock(mutex_);
    if (!members_.at(member).dead) end_member(member, true);
    members_.erase(member);
  }
  wake();
}

std::size_t SimWorld::links() {
  const MutexLock lock(mutex_);
  return links_.size();
}

} // namespace datum
