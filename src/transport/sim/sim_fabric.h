// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_fabric.h: one adapter's end of the simulated network.
// Threads: the adapter's lock.
#pragma once

#include <memory>
#include <vector>

#include "transport/link/fabric.h"
#include "transport/sim/sim_world.h"

namespace datum {

class SimFabric final : public Fabric {
 public:
  explicit SimFabric(SimWorld& world);
  ~SimFabric() override;

  SimWorld::Id id() const { return id_; }

  const Address& address() const override { return world_.address(); }
  NamedAttributes attributes() const override;
  std::span<RegionEntry> region_storage() override {
    return {regions_.get(), RegionTable::kCapacity};
  }
  void attach(const TransportHost& host, FabricEvents& events) override;
  Result<std::unique_ptr<PublishedName>> publish(ConnQual qualifier) override;
  Result<std::unique_ptr<PublishedName>> publish_any() override;
  Result<std::unique_ptr<Dial>> dial(const Address& address, ConnQual qualifier,
                                     DialEvents& events) override;
  bool progress() override { return world_.run_inbox(id_, *this); }
  void on_idle(LinkPort& port) override;

  // --- events from the world ---------------------------------------------------------------------
  void link_stands(const std::shared_ptr<SimLink>& link, int side);
  void dialled(const std::shared_ptr<SimLink>& link, int side, SimDialState& dial);
  void dial_failed(DialFailure failure, SimDialState& dial);
  void doorbell_rang(SimLink& link, int side);
  void link_lost(SimLink& link, int side);

 private:
  SimWorld& world_;
  SimWorld::Id id_;
  SimRegions regions_;
  FabricEvents* events_ = nullptr;
  std::vector<std::shared_ptr<SimLink>> links_; // one entry for each link end of this adapter
};

} // namespace datum
