// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/link/pair.h: two connected endpoints, core objects only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "local_world.h"

namespace datum::test {

// One side: a zone, an EVD of each kind, an EP and a registered buffer.
struct Side {
  explicit Side(Node& node, const EndpointAttributes* attributes = nullptr)
      : adapter(*node.adapter), zone(*adapter.create_zone().value()),
        evd(*adapter.create_evd(256, nullptr, kEvdDto | kEvdRmrBind).value()),
        connect_evd(*adapter.create_evd(8, nullptr, kEvdConnection).value()),
        cr_evd(*adapter.create_evd(8, nullptr, kEvdCr).value()),
        ep(*adapter.create_endpoint({&zone, &evd, &evd, {&connect_evd}}, nullptr, attributes)
                .value()),
        memory(3 * 1024 * 1024) {
    RegionRequest request;
    request.address = reinterpret_cast<std::uint64_t>(memory.data());
    request.length = memory.size();
    request.access = kAllAccess;
    region = adapter.create_region(request, zone).value();
  }
  LocalTriplet local(std::uint64_t offset, std::uint64_t length) const {
    return {region->local_stag(), reinterpret_cast<std::uint64_t>(memory.data()) + offset, length};
  }
  RemoteTriplet remote(std::uint64_t offset, std::uint64_t length) const {
    return {region->remote_stag(), reinterpret_cast<std::uint64_t>(memory.data()) + offset, length};
  }
  Status send(std::uint64_t offset, std::uint64_t length, std::uint64_t cookie,
              CompletionFlags flags = 0) {
    const LocalTriplet segment = local(offset, length);
    return ep.post_send({&segment, 1}, cookie, flags);
  }
  Status receive(std::uint64_t offset, std::uint64_t length, std::uint64_t cookie) {
    const LocalTriplet segment = local(offset, length);
    return ep.post_recv({&segment, 1}, cookie, 0);
  }
  Event next(EventDispatcher& from) {
    Event event;
    event.cookie = ~0ULL;
    EXPECT_TRUE(from.dequeue(event).ok()) << "no event";
    return event;
  }
  Event next() { return next(evd); }

  InterfaceAdapter& adapter;
  ProtectionZone& zone;
  EventDispatcher& evd;
  EventDispatcher& connect_evd;
  EventDispatcher& cr_evd;
  Endpoint& ep;
  std::vector<std::byte> memory;
  MemoryRegion* region = nullptr;
};

struct Pair {
  explicit Pair(bool direct = false, const EndpointAttributes* attributes = nullptr,
                bool strict = false)
      : world(direct, 0, strict), active(*world.a, attributes), passive(*world.b, attributes) {}
  void connect() { connect(active, passive); }
  void connect(Side& from, Side& to) {
    const ConnQual qualifier = 4000;
    ServicePoint* psp =
        to.adapter.create_psp(&qualifier, to.cr_evd, ServicePoint::EpSource::Consumer).value();
    ConnectionRequest& request = request_of(from, to, qualifier);
    ASSERT_TRUE(request.accept(&to.ep, {}).ok());
    to.adapter.consume(request);
    world.settle();
    EXPECT_EQ(from.next(from.connect_evd).kind, EventKind::Established);
    EXPECT_EQ(to.next(to.connect_evd).kind, EventKind::Established);
    ASSERT_TRUE(to.adapter.free(*psp).ok());
  }
  // Connects `from` to the service point that `to` has at this qualifier. Returns the request that
  // arrives there.
  ConnectionRequest& request_of(Side& from, Side& to, ConnQual qualifier) {
    EXPECT_TRUE(from.ep.connect({}, qualifier, 0xffffffff, {}).ok());
    world.settle();
    const Event event = to.next(to.cr_evd);
    return *const_cast<ConnectionRequest*>(
        static_cast<const ConnectionRequest*>(static_cast<const Object*>(event.data)));
  }
  LocalWorld world;
  Side active;
  Side passive;
};

} // namespace datum::test
