// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_link.h: two adapters and the network between them.
// Lives here: the two ends, their memory, carrying records and words from one to the other.
// Not here:   when links come and go (sim_world.h).
// Threads:    the members of one side need the lock of its adapter; all others need the world's
//             lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "transport/link/fabric.h"
#include "transport/sim/sim_direct.h"
#include "transport/sim/sim_wire.h"

namespace datum {

class SimLink;
class SimWorld;

class SimPort final : public LinkPort {
 public:
  SimPort(SimLink& link, int side) : link_(link), side_(side) {}
  LinkSegment& segment() override;
  int side() const override { return side_; }
  void ring_doorbell() override;
  DirectAccess* direct() override { return direct_.get(); }
  bool peer_has_direct() const override { return direct_ != nullptr; }
  const char* path() const override { return "simulated network"; }
  Address peer_address() const override;
  void condemn(const char* reason) override;

  void give_direct(std::unique_ptr<SimDirect> direct) { direct_ = std::move(direct); }
  // True: the adapter knows of the link and has not been told that it is lost.
  bool attached = false;
  SimLink& link() { return link_; }

 private:
  SimLink& link_;
  int side_;
  std::unique_ptr<SimDirect> direct_;
};

class SimLink final : public std::enable_shared_from_this<SimLink> {
 public:
  SimLink(SimWorld& world, std::uint32_t dialler, std::uint32_t dialled,
          const std::array<SimRegions, 2>& regions);
  ~SimLink();
  SimLink(const SimLink&) = delete;
  SimLink& operator=(const SimLink&) = delete;

  SimWorld& world() { return world_; }
  SimPort& port(int side) { return ports_[static_cast<std::size_t>(side)]; }
  std::uint32_t member(int side) const { return members_[static_cast<std::size_t>(side)]; }
  LinkSegment& segment(int side) {
    return wired_ ? *segments_[static_cast<std::size_t>(side)] : *segments_[0];
  }

  // --- the world's lock --------------------------------------------------------------------------
  // Carries the records that are due. Bit s of the result is set if side s has to be rung.
  std::uint32_t carry(Instant now);
  // Finds the records that the two ends have published since the last call, and decides when they
  // arrive.
  void scan();
  // Delivers all records that this side has published. True: the other side has to be rung.
  bool bring(int side);
  Instant next() const;
  // When the last record under way arrives.
  Instant last() const;
  void drop_records();
  bool open = true; // records may be sent
  std::array<bool, 2> idle{};
  // True: records that arrived before the end of the link are still handled.
  std::atomic<bool> orderly{false};

 private:
  void mirror_words(int side);
  bool carry_from(int side, Instant now);

  SimWorld& world_;
  std::array<std::uint32_t, 2> members_;
  bool wired_;
  std::array<std::unique_ptr<LinkSegment>, 2> segments_;
  std::array<SimPort, 2> ports_;
  std::array<SimWire, 2> wires_;
};

} // namespace datum
