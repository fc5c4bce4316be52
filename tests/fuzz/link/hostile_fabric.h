// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/link/hostile_fabric.h: a Fabric whose links lead to the fuzzer.
// Lives here: segments on the heap, so that AddressSanitizer guards their ends; a peer's memory and
//             region table, which the fuzzer writes; condemned links, which are lost at the next
//             turn.
// Not here:   what the peer writes (hostile_peer.h).
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "transport/link/fabric.h"

namespace datum::fuzz {

// The peer's memory as the kernel would let this side reach it: one file, and one range of
// addresses.
class HostileMemory final : public DirectAccess {
 public:
  static constexpr std::size_t kEntries = 16;
  static constexpr std::size_t kSize = 512 * 1024;

  std::span<const RegionEntry> regions() override { return entries_; }
  std::byte* map(const RegionEntry& entry, Stag stag, bool writable) override;
  bool write(std::uint64_t remote, std::span<const Segment> from) override;
  bool read(std::uint64_t remote, std::span<const Segment> into) override;

  RegionEntry& entry(std::size_t index) { return entries_[index % kEntries]; }
  std::uint64_t base() const { return reinterpret_cast<std::uint64_t>(bytes_.get()); }

 private:
  bool contains(std::uint64_t remote, std::span<const Segment> pieces) const;
  RegionEntry entries_[kEntries];
  std::unique_ptr<std::byte[]> bytes_{new std::byte[kSize]}; // its contents do not matter
};

class HostilePort final : public LinkPort {
 public:
  HostilePort(int side, HostileMemory* direct, bool peer_has_direct);
  LinkSegment& segment() override { return *segment_; }
  int side() const override { return side_; }
  void ring_doorbell() override {}
  DirectAccess* direct() override { return condemned ? nullptr : direct_; }
  bool peer_has_direct() const override { return peer_has_direct_; }
  const char* path() const override { return "fuzzed"; }
  Address peer_address() const override { return {}; }
  void condemn(const char*) override { condemned = true; }
  bool condemned = false;

 private:
  struct Release {
    void operator()(LinkSegment* segment) const { std::free(segment); }
  };
  std::unique_ptr<LinkSegment, Release> segment_;
  int side_;
  HostileMemory* direct_;
  bool peer_has_direct_;
};

class HostileFabric final : public Fabric {
 public:
  HostileFabric(bool direct, bool peer_has_direct)
      : direct_(direct), peer_has_direct_(peer_has_direct) {}

  // --- Fabric ------------------------------------------------------------------------------------
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override { return {}; }
  std::span<RegionEntry> region_storage() override;
  void attach(const TransportHost&, FabricEvents& events) override { events_ = &events; }
  Result<std::unique_ptr<PublishedName>> publish(ConnQual qualifier) override;
  Result<std::unique_ptr<PublishedName>> publish_any() override { return publish(5000); }
  Result<std::unique_ptr<Dial>> dial(const Address& address, ConnQual qualifier,
                                     DialEvents& events) override;
  bool progress() override { return false; }
  void on_idle(LinkPort&) override {}

  // --- the world's part --------------------------------------------------------------------------
  HostileMemory& memory() { return memory_; }
  HostilePort* port() { return port_.get(); }
  void make_link(int side);
  void lose_link();
  void ring_us();
  // Answers the oldest dial, either with the link, which is made if necessary, or with a refusal.
  void answer_dial(bool refuse);

 private:
  class PendingDial;
  bool direct_;
  bool peer_has_direct_;
  Address address_;
  HostileMemory memory_;
  FabricEvents* events_ = nullptr;
  std::unique_ptr<HostilePort> port_;
  std::vector<PendingDial*> dials_;
};

} // namespace datum::fuzz
