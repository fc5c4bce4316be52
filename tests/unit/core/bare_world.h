// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/core/bare_world.h: the surroundings of core objects and of the parts of an endpoint,
// without an adapter that owns them and without an endpoint.
#pragma once

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/endpoint/endpoint_frame.h"
#include "core/endpoint/shared_receive_queue.h"
#include "silent_world.h"

namespace datum::test {

// Answers a request as the test says, and keeps the request.
class ScriptedChannel final : public Channel {
 public:
  StartResult start(const WorkRequest& request) override {
    if (answer != StartResult::Later) started.push_back(request.opcode);
    return answer;
  }
  StartResult start_now(const WorkRequest& request) override { return start(request); }
  void on_receive_posted() override {}
  void catch_up() override {}
  bool waits_for_receive(bool) override { return waits; }
  void close(CloseMode) override {}
  ConnQual local_port() const override { return 1; }
  ConnQual remote_port() const override { return 2; }
  Address remote_address() const override { return {}; }
  const char* path() const override { return "none"; }
  std::string path_reason() const override { return {}; }

  StartResult answer = StartResult::Started;
  bool waits = false; // nothing moves, as if the peer had no Recv
  std::vector<Opcode> started;
};

// Counts the calls that the parts make on their frame.
class CountingFrame final : public EndpointFrame {
 public:
  CountingFrame(const EndpointServices& services, ProtectionZone* zone,
                const EndpointAttributes& attributes)
      : EndpointFrame(with_room(services), zone, attributes) {
    issue_token(services.events.adapter.handles());
  }
  void break_connection() override {
    ++breaks;
    if (on_break) on_break();
  }
  void on_requests_retired() override { ++retirements; }
  void on_receive_posted() override { ++receives; }

  int breaks = 0;
  int retirements = 0;
  int receives = 0;
  std::function<void()> on_break;

 private:
  // Makes room as the adapter does before it makes an endpoint.
  static const EndpointServices& with_room(const EndpointServices& services) {
    services.events.adapter.make_room_to_retire();
    return services;
  }
};

class BareWorld : private CompletionSources {
 public:
  static constexpr std::uint64_t kSize = 256; // octets of `memory`
  static constexpr EvdFlags kCompletions = kEvdDto | kEvdRmrBind | kEvdConnection;

  BareWorld() {
    context.make_room_to_retire();
    stag = open_region();
    attributes.max_message_size = attributes.max_rdma_size = attributes.rdma_bound = kSize;
    attributes.max_recv_dtos = attributes.max_request_dtos = 4;
    attributes.max_recv_iov = attributes.max_request_iov = 2;
    attributes.max_rdma_read_in = attributes.max_rdma_read_out = 4;
  }

  virtual ~BareWorld() = default;

  // Registers `memory`, with all local rights.
  Stag open_region() {
    const Stag made = context.regions().reserve();
    RegionTable::Description description;
    description.access = kLocalRead | kLocalWrite;
    description.base = address(0);
    description.length = kSize;
    description.zone = zone.id();
    context.regions().publish(made, description);
    return made;
  }
  std::uint64_t address(std::size_t at) const {
    return reinterpret_cast<std::uintptr_t>(memory.data() + at);
  }
  LocalTriplet piece(std::size_t at, std::uint64_t length) const {
    return {stag, address(at), length};
  }
  std::unique_ptr<EventDispatcher> make_evd(std::int32_t qlen = 16) {
    auto evd = std::make_unique<EventDispatcher>(events, qlen, nullptr, kCompletions | kEvdAsync);
    evd->issue_token(handles);
    return evd;
  }

  PlainHandles handles;
  StillTime time;
  TimerQueue timers;
  SeededRandom random{7};
  SilentTransport transport;
  std::array<std::byte, kSize> memory{};
  AdapterContext context{environment(), transport};
  EventServices events{context, *this};
  ProtectionZone zone{context, 7};
  ObjectList windows;
  ObjectList endpoints;
  MemoryIndex index{windows};
  EndpointServices services{events, index, endpoints};
  Stag stag = 0;
  EndpointAttributes attributes;
  std::function<void()> on_lost_completion;

 private:
  AdapterContext::Environment environment() {
    AdapterContext::Environment environment;
    environment.handles = &handles;
    environment.progress = &time;
    environment.timers = &timers;
    environment.random = &random;
    environment.drain_patience = 2 * kSecond;
    environment.connect_grace = 50 * kMillisecond;
    environment.reports_srq_left = true;
    return environment;
  }
  void break_sources_of(EventDispatcher&) override {
    if (on_lost_completion) on_lost_completion();
  }
};

// The completion that a test expects.
struct Expected {
  std::uint64_t cookie;
  DtoStatus status = DtoStatus::Success;
};

inline void expect_completions(EventDispatcher& evd, std::initializer_list<Expected> expected) {
  for (const Expected& each : expected) {
    Event event;
    ASSERT_TRUE(evd.dequeue(event).ok()) << "cookie " << each.cookie << " is missing";
    EXPECT_EQ(event.cookie, each.cookie);
    EXPECT_EQ(event.status, each.status) << "of " << each.cookie;
  }
  EXPECT_EQ(evd.count(), 0) << "there is one too many";
}

} // namespace datum::test
