// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_direct.h: access to the memory of another adapter of the same world: a plain
// copy, as long as that adapter lives.
#pragma once

#include <cstdint>
#include <memory>

#include "transport/link/fabric.h"

namespace datum {

// RegionTable::kCapacity entries, which live as long as their adapter or a peer refers to them.
using SimRegions = std::shared_ptr<RegionEntry[]>;
SimRegions make_sim_regions();

class SimLink;
class SimWorld;

class SimDirect final : public DirectAccess {
 public:
  // The access that `side` of the link has to its peer, whose regions are `regions`.
  SimDirect(SimLink& link, int side, SimRegions regions);

  std::span<const RegionEntry> regions() override {
    return {regions_.get(), RegionTable::kCapacity};
  }
  // Regions of shareable memory count as mapped at the peer's own address, since both adapters are
  // in one process.
  std::byte* map(const RegionEntry& entry, Stag stag, bool writable) override;
  bool write(std::uint64_t remote, std::span<const Segment> from) override;
  bool read(std::uint64_t remote, std::span<const Segment> into) override;

 private:
  bool reaches_peer();

  SimLink& link_;
  int side_;
  SimWorld& world_;
  std::uint32_t peer_;
  SimRegions regions_;
};

} // namespace datum
