// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a peer says with its answer comes to the consumer, whatever memory there is by then.
#include <gtest/gtest.h>

#include "../iwarp/no_memory.h"
#include "base/random.h"
#include "core/interface_adapter.h"

namespace datum {
namespace {

using iwarp::test::NoMemory;

class PlainHandles final : public HandleSource {
 public:
  Token issue(ObjectKind, Object& object) override { return &object; }
  void withdraw(Token) override {}
};

class NoTime final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint&) override {}
  void kick() override {}
  Instant now() override { return 0; }
};

class SilentChannel final : public Channel {
 public:
  StartResult start(const WorkRequest&) override { return StartResult::Later; }
  StartResult start_now(const WorkRequest&) override { return StartResult::Later; }
  void on_receive_posted() override {}
  bool waits_for_receive(bool) override { return false; }
  void close(CloseMode) override {}
  ConnQual local_port() const override { return 1; }
  ConnQual remote_port() const override { return 2; }
  Address remote_address() const override { return {}; }
  const char* path() const override { return "none"; }
  std::string path_reason() const override { return {}; }
};

// Connects to nobody: the test answers.
class SilentTransport final : public Transport {
 public:
  const Limits& limits() const override { return limits_; }
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override { return {}; }
  std::span<RegionEntry> region_storage() override { return regions_; }
  DirectAccessGate* gate() override { return nullptr; }
  void attach(const TransportHost&) override {}
  Result<std::unique_ptr<Listener>> listen(ConnQual, ListenerEvents&) override {
    return fail(Type::InsufficientResources);
  }
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents&) override {
    return fail(Type::InsufficientResources);
  }
  Result<std::unique_ptr<Channel>> connect(const Address&, ConnQual, PrivateData, ChannelEvents&,
                                           const ChannelOptions&) override {
    return std::make_unique<SilentChannel>();
  }
  bool progress() override { return false; }
  bool set_attention(Attention) override { return false; }

 private:
  Limits limits_;
  Address address_;
  std::vector<RegionEntry> regions_ = std::vector<RegionEntry>(RegionTable::kCapacity);
};

// An endpoint that has asked, and waits for its answer.
class PrivateDataOfPeers : public testing::Test {
 protected:
  PrivateDataOfPeers() {
    environment_.handles = &handles_;
    environment_.progress = &time_;
    environment_.timers = &timers_;
    environment_.random = &random_;
    adapter_ = std::make_unique<InterfaceAdapter>(environment_, transport_);
    evd_ = *adapter_->create_evd(8, nullptr, kEvdDto | kEvdConnection);
    EndpointParts parts;
    parts.zone = *adapter_->create_zone();
    parts.recv_evd = parts.request_evd = evd_;
    parts.connect_evd = {.own = evd_};
    endpoint_ = *adapter_->create_endpoint(parts, nullptr, nullptr);
    EXPECT_TRUE(endpoint_->connect({}, 1, 0xffffffff, {}).ok());
  }
  ~PrivateDataOfPeers() override { adapter_->close(); }

  void expect_event(EventKind kind, PrivateData data) {
    Event event;
    ASSERT_TRUE(evd_->dequeue(event).ok());
    EXPECT_EQ(event.kind, kind);
    ASSERT_EQ(event.size, data.size());
    EXPECT_EQ(std::memcmp(event.data, data.data(), data.size()), 0);
  }

  // All that MPA carries (RFC 5044 section 7.1); our own peers say no more than 256.
  const std::vector<std::byte> most_ = std::vector<std::byte>(512, std::byte{0x5a});
  PlainHandles handles_;
  NoTime time_;
  TimerQueue timers_;
  SeededRandom random_{7};
  SilentTransport transport_;
  AdapterEnvironment environment_;
  std::unique_ptr<InterfaceAdapter> adapter_;
  EventDispatcher* evd_ = nullptr;
  Endpoint* endpoint_ = nullptr;
};

// Rules: CONN.29
TEST_F(PrivateDataOfPeers, AnAcceptIsToldWithoutMemory) {
  {
    const NoMemory scarce;
    endpoint_->on_established(most_, 4);
  }
  expect_event(EventKind::Established, most_);
}

// Rules: CONN.29
TEST_F(PrivateDataOfPeers, ARejectIsToldWithoutMemory) {
  {
    const NoMemory scarce;
    endpoint_->on_connect_failed(ConnectFailure::PeerRejected, most_);
  }
  expect_event(EventKind::PeerRejected, most_);
}

} // namespace
} // namespace datum
