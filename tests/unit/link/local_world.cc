// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "local_world.h"

#include <algorithm>
#include <cstring>

#include "core/port/copy.h"

namespace datum::test {

bool WorldProgress::poll() {
  world_.step();
  return false;
}

WaitResult WorldProgress::wait(WaitPoint& point, Instant deadline) {
  world_.settle();
  if (point.signalled) return WaitResult::Signalled;
  if (deadline != kNever) world_.now = std::max(world_.now, deadline);
  return WaitResult::TimedOut;
}

Instant WorldProgress::now() {
  return world_.now;
}

bool LocalDirect::write(std::uint64_t remote, std::span<const Segment> from) {
  ++copies;
  for (const Segment& s : from) {
    std::memcpy(pointer(remote), s.address, s.length);
    remote += s.length;
  }
  return true;
}

bool LocalDirect::read(std::uint64_t remote, std::span<const Segment> into) {
  ++copies;
  for (const Segment& s : into) {
    std::memcpy(s.address, pointer(remote), s.length);
    remote += s.length;
  }
  return true;
}

LocalPort::LocalPort(LocalFabric& owner, LocalFabric& peer, std::shared_ptr<LinkSegment> segment,
                     int side)
    : access(peer.region_storage()), owner_(owner), segment_(std::move(segment)), side_(side) {}

DirectAccess* LocalPort::direct() {
  return owner_.direct ? &access : nullptr;
}
bool LocalPort::peer_has_direct() const {
  return owner_.direct;
}

class LocalName final : public PublishedName {
 public:
  LocalName(std::map<ConnQual, LocalFabric*>& names, ConnQual qualifier)
      : names_(names), qualifier_(qualifier) {}
  ~LocalName() override { names_.erase(qualifier_); }
  ConnQual qualifier() const override { return qualifier_; }

 private:
  std::map<ConnQual, LocalFabric*>& names_;
  ConnQual qualifier_;
};

Result<std::unique_ptr<PublishedName>> LocalFabric::publish(ConnQual qualifier) {
  if (!world_.names.emplace(qualifier, this).second) return fail(Type::ConnQualInUse);
  return std::make_unique<LocalName>(world_.names, qualifier);
}

class LocalFabric::LocalDial final : public Dial {
 public:
  LocalDial(std::vector<PendingDial>& dials, DialEvents& events) : dials_(dials), events_(events) {}
  ~LocalDial() override {
    std::erase_if(dials_, [this](const PendingDial& d) { return d.events == &events_; });
  }

 private:
  std::vector<PendingDial>& dials_;
  DialEvents& events_;
};

Result<std::unique_ptr<Dial>> LocalFabric::dial(const Address&, ConnQual qualifier,
                                                DialEvents& events) {
  if (lacks_descriptors) return fail(Type::InsufficientResources, Detail::ResourceDevice);
  ++dialled;
  dials_.push_back({qualifier, &events});
  return std::make_unique<LocalDial>(dials_, events);
}

bool LocalFabric::progress() {
  const std::vector<PendingDial> due = std::exchange(dials_, {});
  for (const PendingDial& dial : due) {
    const auto found = world_.names.find(dial.qualifier);
    if (found == world_.names.end()) {
      dial.events->on_dial_failed(DialFailure::NobodyListens);
      continue;
    }
    LocalFabric& peer = *found->second;
    if (ports.empty()) {
      auto segment = std::make_shared<LinkSegment>();
      ports.push_back(std::make_unique<LocalPort>(*this, peer, segment, 0));
      peer.ports.push_back(std::make_unique<LocalPort>(peer, *this, segment, 1));
      events_->on_link(*ports.back());
      peer.events()->on_link(*peer.ports.back());
    }
    dial.events->on_dialled(*ports.back());
  }
  return !due.empty();
}

Node::Node(LocalWorld& world, const LinkOptions& options, Duration connect_grace, bool strict)
    : progress(world), fabric(world), transport(fabric, options) {
  AdapterEnvironment environment;
  environment.handles = &handles;
  environment.progress = &progress;
  environment.timers = &timers;
  environment.random = &random;
  environment.memory = &memory;
  environment.datagrams = true;
  environment.connect_grace = connect_grace;
  environment.strict = strict;
  adapter = std::make_unique<InterfaceAdapter>(environment, transport);
}

LocalWorld::LocalWorld(bool direct, Duration connect_grace, bool strict) {
  a = std::make_unique<Node>(*this, options, connect_grace, strict);
  b = std::make_unique<Node>(*this, options, connect_grace, strict);
  a->fabric.direct = b->fabric.direct = direct;
}

LocalWorld::~LocalWorld() {
  a->adapter.reset();
  b->adapter.reset();
}

bool LocalWorld::step() {
  bool any = false;
  for (Node* node : {a.get(), b.get()}) {
    any = node->timers.run(now) || any;
    any = node->transport.progress() || any;
    if (node->adapter) node->adapter->destroy_retired();
  }
  return any;
}

void LocalWorld::settle() {
  while (step()) {
  }
}

void LocalWorld::advance(Duration time) {
  now += time;
  settle();
}

void LocalWorld::cut() {
  for (Node* node : {a.get(), b.get()})
    for (const auto& port : node->fabric.ports) node->fabric.events()->on_link_lost(*port);
  settle();
}

} // namespace datum::test
