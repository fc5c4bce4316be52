// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Time, adapters, names.
#include "transport/sim/sim_world.h"

#include <algorithm>
#include <cstring>
#include <netinet/in.h>

#include "transport/sim/sim_fabric.h"

namespace datum {
namespace {

// How many events an adapter handles before other adapters get their turn.
constexpr int kInboxBudget = 64;

Address loopback() {
  sockaddr_in image{};
  image.sin_family = AF_INET;
  image.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Address address;
  std::memcpy(address.bytes, &image, sizeof image);
  return address;
}

} // namespace

SimWorld::SimWorld(const SimOptions& options)
    : options_(options), address_(loopback()), random_(options.seed) {}

SimWorld::~SimWorld() = default;

std::uint64_t SimWorld::random() {
  const MutexLock lock(mutex_);
  return random_.next();
}

Duration SimWorld::random_between(Duration low, Duration high) {
  const auto span = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<Duration>(random_.next() % span);
}

bool SimWorld::by_chance(std::uint32_t in_thousand) {
  return in_thousand != 0 && random_.next() % 1000 < in_thousand;
}

SimWorld::Key SimWorld::key_in(Duration delay) {
  return {now() + delay, ++sequence_};
}

void SimWorld::post(Id to, Duration delay, FabricEvent event) {
  const auto found = members_.find(to);
  if (found == members_.end() || found->second.dead) return;
  found->second.inbox.emplace(key_in(delay), std::move(event));
}

// --- time --------------------------------------------------------------------------------------

bool SimWorld::carry_records() {
  bool any = false;
  for (const std::shared_ptr<SimLink>& link : links_) {
    link->scan();
    const std::uint32_t look = link->carry(now());
    for (int side = 0; side < 2; ++side)
      if ((look >> side & 1U) != 0) {
        ring_locked(*link, side);
        any = true;
      }
  }
  std::erase_if(links_, [](const auto& link) { return !link->open && link->next() == kNever; });
  return any;
}

bool SimWorld::run_due() {
  std::vector<Happening> due;
  bool any = false;
  {
    const MutexLock lock(mutex_);
    any = carry_records();
    while (!happenings_.empty() && happenings_.begin()->first.when <= now()) {
      due.push_back(std::move(happenings_.begin()->second));
      happenings_.erase(happenings_.begin());
    }
  }
  for (const Happening& happening : due) happening();
  return any || !due.empty();
}

Instant SimWorld::next() {
  const MutexLock lock(mutex_);
  Instant when = happenings_.empty() ? kNever : happenings_.begin()->first.when;
  for (const auto& [id, member] : members_)
    if (!member.inbox.empty()) when = std::min(when, member.inbox.begin()->first.when);
  for (const std::shared_ptr<SimLink>& link : links_) when = std::min(when, link->next());
  return when;
}

void SimWorld::advance_to(Instant when) {
  if (when > now()) now_.store(when, std::memory_order_relaxed);
}

bool SimWorld::has_due(Id member) {
  const MutexLock lock(mutex_);
  const auto found = members_.find(member);
  return found != members_.end() && !found->second.inbox.empty() &&
         found->second.inbox.begin()->first.when <= now();
}

bool SimWorld::run_inbox(Id member, SimFabric& fabric) {
  bool any = false;
  for (int left = kInboxBudget; left != 0; --left) {
    FabricEvent event;
    {
      const MutexLock lock(mutex_);
      std::map<Key, FabricEvent>& inbox = members_.at(member).inbox;
      if (inbox.empty() || inbox.begin()->first.when > now()) return any;
      event = std::move(inbox.begin()->second);
      inbox.erase(inbox.begin());
    }
    event(fabric);
    any = true;
  }
  return any;
}

// --- adapters ------------------------------------------------------------------------------------

SimWorld::Id SimWorld::join() {
  const MutexLock lock(mutex_);
  members_[++last_member_].regions = make_sim_regions();
  return last_member_;
}

SimRegions SimWorld::regions(Id member) {
  const MutexLock lock(mutex_);
  return members_.at(member).regions;
}

bool SimWorld::alive(Id member) {
  const MutexLock lock(mutex_);
  const auto found = members_.find(member);
  return found != members_.end() && !found->second.dead;
}

// --- names ---------------------------------------------------------------------------------------

bool SimWorld::publish(ConnQual qualifier, Id member) {
  const MutexLock lock(mutex_);
  return names_.emplace(qualifier, member).second;
}

ConnQual SimWorld::publish_any(Id member) {
  constexpr ConnQual kFirst = 1024;
  constexpr ConnQual kLast = 65535;
  const MutexLock lock(mutex_);
  for (ConnQual qualifier = kFirst; qualifier <= kLast; ++qualifier)
    if (names_.emplace(qualifier, member).second) return qualifier;
  return 0;
}

void SimWorld::unpublish(ConnQual qualifier) {
  const MutexLock lock(mutex_);
  names_.erase(qualifier);
}

// Compares the family and the IP address, not the port.
bool SimWorld::reaches(const Address& address) const {
  const auto* asked = reinterpret_cast<const sockaddr_in*>(address.bytes);
  const auto* own = reinterpret_cast<const sockaddr_in*>(address_.bytes);
  return asked->sin_family == own->sin_family && asked->sin_addr.s_addr == own->sin_addr.s_addr;
}

} // namespace datum
