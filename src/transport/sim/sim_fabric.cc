// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_fabric.h"

#include <algorithm>
#include <netinet/in.h>

namespace datum {
namespace {

// How many calls of on_doorbell() read a full ring of the smallest records, 64 in each call.
constexpr int kLooksAtTheEnd = kRingSlots / 64 + 1;

class SimName final : public PublishedName {
 public:
  SimName(SimWorld& world, ConnQual qualifier) : world_(world), qualifier_(qualifier) {}
  ~SimName() override { world_.unpublish(qualifier_); }
  ConnQual qualifier() const override { return qualifier_; }

 private:
  SimWorld& world_;
  ConnQual qualifier_;
};

class SimDial final : public Dial {
 public:
  explicit SimDial(std::shared_ptr<SimDialState> state) : state_(std::move(state)) {}
  ~SimDial() override { state_->events = nullptr; }

 private:
  std::shared_ptr<SimDialState> state_;
};

} // namespace

SimFabric::SimFabric(SimWorld& world)
    : world_(world), id_(world.join()), regions_(world.regions(id_)) {}

SimFabric::~SimFabric() {
  world_.leave(id_);
}

NamedAttributes SimFabric::attributes() const {
  return {{"path", "simulated network"}};
}

void SimFabric::attach(const TransportHost&, FabricEvents& events) {
  events_ = &events;
}

Result<std::unique_ptr<PublishedName>> SimFabric::publish(ConnQual qualifier) {
  if (!world_.publish(qualifier, id_)) return fail(Type::ConnQualInUse);
  return std::make_unique<SimName>(world_, qualifier);
}

Result<std::unique_ptr<PublishedName>> SimFabric::publish_any() {
  const ConnQual qualifier = world_.publish_any(id_);
  if (qualifier == 0) return fail(Type::ConnQualUnavailable);
  return std::make_unique<SimName>(world_, qualifier);
}

Result<std::unique_ptr<Dial>> SimFabric::dial(const Address& address, ConnQual qualifier,
                                              DialEvents& events) {
  const auto* family = reinterpret_cast<const sockaddr*>(address.bytes);
  if (family->sa_family != AF_INET && family->sa_family != AF_INET6)
    return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (world_.out_of_resources()) return fail(Type::InsufficientResources, Detail::ResourceDevice);
  auto state = std::make_shared<SimDialState>();
  state->events = &events;
  world_.dial(id_, qualifier, world_.reaches(address), state);
  return std::make_unique<SimDial>(std::move(state));
}

void SimFabric::on_idle(LinkPort& port) {
  auto& own = static_cast<SimPort&>(port);
  world_.on_idle(own.link(), own.side());
}

void SimFabric::link_stands(const std::shared_ptr<SimLink>& link, int side) {
  links_.push_back(link);
  link->port(side).attached = true;
  events_->on_link(link->port(side));
}

void SimFabric::dialled(const std::shared_ptr<SimLink>& link, int side, SimDialState& dial) {
  if (dial.events == nullptr) {
    // The dial was cancelled, so no connection will use the link, and on_idle() would never report
    // it.
    if (!world_.options().share) world_.cut(*link);
    return;
  }
  // The link was lost before this side was told of it.
  if (!link->port(side).attached) return dial_failed(DialFailure::NobodyListens, dial);
  dial.events->on_dialled(link->port(side));
}

void SimFabric::dial_failed(DialFailure failure, SimDialState& dial) {
  if (dial.events != nullptr) dial.events->on_dial_failed(failure);
}

void SimFabric::doorbell_rang(SimLink& link, int side) {
  if (link.port(side).attached) events_->on_doorbell(link.port(side));
}

void SimFabric::link_lost(SimLink& link, int side) {
  SimPort& port = link.port(side);
  if (!port.attached) return;
  port.attached = false;
  const auto keep = std::find_if(links_.begin(), links_.end(),
                                 [&](const auto& each) { return each.get() == &link; });
  const std::shared_ptr<SimLink> last = *keep;
  links_.erase(keep);
  // The peer has closed in an orderly way. Its last records are in the ring and are handled before
  // the loss is reported.
  if (link.orderly.load(std::memory_order_relaxed))
    for (int i = 0; i < kLooksAtTheEnd; ++i) events_->on_doorbell(port);
  events_->on_link_lost(port);
}

} // namespace datum
