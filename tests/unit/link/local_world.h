// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/link/local_world.h: adapters in one thread, joined by segments on the heap.
// No time passes unless a test says so; nothing sleeps.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/adapter/interface_adapter.h"
#include "transport/link/link_transport.h"

namespace datum::test {

class LocalWorld;

class PlainHandles final : public HandleSource {
 public:
  Token issue(ObjectKind, Object& object) override {
    ++issued;
    return &object;
  }
  void withdraw(Token) override { --issued; }
  int issued = 0;
};

class AnyMemory final : public MemoryProbe {
 public:
  Found usable(std::uint64_t, std::uint64_t, Access) override { return Found::Yes; }
  Found shared(std::uint64_t, std::uint64_t) override { return Found::Yes; }
  bool backing(std::uint64_t, std::uint64_t, std::int32_t&, std::uint64_t&) override {
    return false;
  }
};

// Polls the whole world. A wait that no event ends times out.
class WorldProgress final : public Progress {
 public:
  explicit WorldProgress(LocalWorld& world) : world_(world) {}
  bool poll() override;
  WaitResult wait(WaitPoint& point, Instant deadline) override;
  void signal(WaitPoint& point) override { point.signalled = true; }
  void wake() override {}
  void wake_promptly() override { ++prompt_wakes; }
  void copied(std::uint64_t octets) override { octets_copied += octets; }
  Instant now() override;
  int prompt_wakes = 0;
  std::uint64_t octets_copied = 0;

 private:
  LocalWorld& world_;
};

class LocalFabric;

// Direct access within one process: a copy.
class LocalDirect final : public DirectAccess {
 public:
  explicit LocalDirect(std::span<const RegionEntry> regions) : regions_(regions) {}
  std::span<const RegionEntry> regions() override { return regions_; }
  std::byte* map(const RegionEntry&, Stag, bool) override { return nullptr; }
  bool write(std::uint64_t remote, std::span<const Segment> from) override;
  bool read(std::uint64_t remote, std::span<const Segment> into) override;
  int copies = 0;

 private:
  std::span<const RegionEntry> regions_;
};

class LocalPort final : public LinkPort {
 public:
  LocalPort(LocalFabric& owner, LocalFabric& peer, std::shared_ptr<LinkSegment> segment, int side);
  LinkSegment& segment() override { return *segment_; }
  int side() const override { return side_; }
  void ring_doorbell() override { ++doorbells; }
  DirectAccess* direct() override;
  bool peer_has_direct() const override;
  const char* path() const override { return "local"; }
  Address peer_address() const override { return {}; }
  void condemn(const char*) override { condemned = true; }
  LocalFabric& owner() { return owner_; }
  bool shares_core() const override { return on_our_core; }
  int doorbells = 0;
  bool condemned = false;
  bool on_our_core = false;
  LocalDirect access;

 private:
  LocalFabric& owner_;
  std::shared_ptr<LinkSegment> segment_;
  int side_;
};

class LocalFabric final : public Fabric {
 public:
  explicit LocalFabric(LocalWorld& world)
      : world_(world), regions_(new RegionEntry[RegionTable::kCapacity]) {}
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override { return {}; }
  std::span<RegionEntry> region_storage() override {
    return {regions_.get(), RegionTable::kCapacity};
  }
  void attach(const TransportHost&, FabricEvents& events) override { events_ = &events; }
  Result<std::unique_ptr<PublishedName>> publish(ConnQual qualifier) override;
  Result<std::unique_ptr<PublishedName>> publish_any() override { return publish(5000); }
  Result<std::unique_ptr<Dial>> dial(const Address& address, ConnQual qualifier,
                                     DialEvents& events) override;
  bool progress() override;
  void on_idle(LinkPort&) override {}

  FabricEvents* events() { return events_; }
  std::vector<std::unique_ptr<LocalPort>> ports;
  bool direct = false;
  int dialled = 0; // number of dials
  bool lacks_descriptors = false;

 private:
  struct PendingDial {
    ConnQual qualifier;
    DialEvents* events;
  };
  class LocalDial;
  LocalWorld& world_;
  Address address_;
  std::unique_ptr<RegionEntry[]> regions_;
  FabricEvents* events_ = nullptr;
  std::vector<PendingDial> dials_;
};

// One adapter with all that it needs.
struct Node {
  Node(LocalWorld& world, const LinkOptions& options, Duration connect_grace, bool strict);
  PlainHandles handles;
  AnyMemory memory;
  SeededRandom random{1};
  TimerQueue timers;
  WorldProgress progress;
  LocalFabric fabric;
  LinkTransport transport;
  std::unique_ptr<InterfaceAdapter> adapter;
};

class LocalWorld {
 public:
  explicit LocalWorld(bool direct = false, Duration connect_grace = 0, bool strict = false);
  ~LocalWorld();
  // Polls every adapter until nothing moves.
  void settle();
  bool step();
  void advance(Duration time);
  // Cuts the link between a and b. Both notice it.
  void cut();

  Instant now = 0;
  std::map<ConnQual, LocalFabric*> names;
  LinkOptions options;
  std::unique_ptr<Node> a;
  std::unique_ptr<Node> b;
};

} // namespace datum::test
