// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/link_world.h: two adapters with a link between them. As in two processes, they share
// only the segment, the doorbells and the memory that one adapter lets the other map.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "base/fence.h"
#include "machine.h"
#include "transport/link/link_transport.h"

namespace datum::test {

class SceneProgress final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint&) override {}
  void wake() override {}
  Instant now() override { return 0; }
};

// The doorbell of a process, which the other side rings.
class SceneDoorbell {
 public:
  void ring(Machine& machine) {
    machine.act(
        this, [] { return true; },
        [&] {
          machine.synchronize(this);
          rung_ = true;
        });
  }
  // Sleeps until it is rung.
  void sleep(Machine& machine) {
    machine.act(
        this, [this] { return rung_; },
        [&] {
          rung_ = false;
          machine.synchronize(this);
        });
  }
  bool rung() const { return rung_; }

 private:
  bool rung_ = false;
};

class SceneDirect final : public DirectAccess {
 public:
  explicit SceneDirect(std::span<const RegionEntry> regions) : regions_(regions) {}
  std::span<const RegionEntry> regions() override { return regions_; }
  // Both adapters are in this process, so the peer's memory needs no mapping.
  std::byte* map(const RegionEntry& entry, Stag, bool) override {
    return reinterpret_cast<std::byte*>(entry.base);
  }
  bool write(std::uint64_t, std::span<const Segment>) override { return false; }
  bool read(std::uint64_t, std::span<const Segment>) override { return false; }

 private:
  std::span<const RegionEntry> regions_;
};

class ScenePort final : public LinkPort {
 public:
  ScenePort(Machine& machine, LinkSegment& segment, int side, SceneDoorbell& peers_doorbell,
            DirectAccess* direct)
      : machine_(machine), segment_(segment), side_(side), peers_doorbell_(peers_doorbell),
        direct_(direct) {}
  LinkSegment& segment() override { return segment_; }
  int side() const override { return side_; }
  void ring_doorbell() override { peers_doorbell_.ring(machine_); }
  DirectAccess* direct() override { return direct_; }
  bool peer_has_direct() const override { return direct_ != nullptr; }
  const char* path() const override { return "scene"; }
  Address peer_address() const override { return {}; }
  void condemn(const char* reason) override { machine_.fail(reason); }

 private:
  Machine& machine_;
  LinkSegment& segment_;
  const int side_;
  SceneDoorbell& peers_doorbell_;
  DirectAccess* const direct_;
};

class SceneFabric final : public Fabric {
 public:
  explicit SceneFabric(bool fences) : fences_(fences) {}
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override { return {}; }
  std::span<RegionEntry> region_storage() override { return {}; }
  void attach(const TransportHost&, FabricEvents& events) override { events_ = &events; }
  Result<std::unique_ptr<PublishedName>> publish(ConnQual qualifier) override {
    return std::make_unique<Name>(qualifier);
  }
  Result<std::unique_ptr<PublishedName>> publish_any() override { return publish(1); }
  Result<std::unique_ptr<Dial>> dial(const Address&, ConnQual, DialEvents& events) override {
    dialling = &events;
    return std::make_unique<Dial>();
  }
  bool fences_everywhere() const override { return fences_; }
  void fence_everywhere() override {
    if (fences_)
      shared_heavy_fence();
    else
      Fabric::fence_everywhere();
  }
  bool progress() override { return false; }
  bool needs_progress() const override { return false; }
  void on_idle(LinkPort&) override {}
  FabricEvents& events() { return *events_; }
  DialEvents* dialling = nullptr;

 private:
  class Name final : public PublishedName {
   public:
    explicit Name(ConnQual qualifier) : qualifier_(qualifier) {}
    ConnQual qualifier() const override { return qualifier_; }

   private:
    ConnQual qualifier_;
  };
  const bool fences_;
  Address address_;
  FabricEvents* events_ = nullptr;
};

struct SceneAdapter {
  explicit SceneAdapter(bool fences) : fabric(fences), transport(fabric, {}) {
    transport.attach({&progress, &timers, nullptr, nullptr});
  }
  void link_up() {
    fabric.events().on_link(*port);
    link = transport.find_link(*port);
  }
  SceneProgress progress;
  TimerQueue timers;
  SceneFabric fabric;
  LinkTransport transport;
  SceneDoorbell doorbell;
  std::unique_ptr<ScenePort> port;
  Link* link = nullptr;
};

// The two adapters: `a` has side 0 of the segment, `b` side 1.
class LinkWorld {
 public:
  // With `b_comes_later` the link of `b` does not exist yet.
  LinkWorld(Machine& machine, LinkSegment& segment, bool fences, DirectAccess* direct = nullptr,
            bool b_comes_later = false)
      : a(fences), b(fences) {
    std::memset(static_cast<void*>(&segment), 0, offsetof(LinkSegment, ring));
    for (Ring& ring : segment.ring)
      for (std::uint32_t i = 0; i < kMostRecords; ++i)
        ring.slots[i].sequence.store(0, std::memory_order_relaxed);
    a.port = std::make_unique<ScenePort>(machine, segment, 0, b.doorbell, direct);
    b.port = std::make_unique<ScenePort>(machine, segment, 1, a.doorbell, nullptr);
    machine.share(&segment, sizeof segment, "segment");
    a.link_up();
    if (!b_comes_later) b.link_up();
  }
  SceneAdapter a;
  SceneAdapter b;

 private:
  static constexpr std::uint32_t kMostRecords = 24; // in one scene and one direction
};

// A record for a connection that the other side has closed. Such records are usual on a link.
inline RecordHeader stray_record() {
  RecordHeader header{};
  header.type = RecordType::Ack;
  header.connection = 1;
  return header;
}

} // namespace datum::test
