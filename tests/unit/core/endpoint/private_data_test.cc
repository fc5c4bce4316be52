// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The consumer gets the private data of a peer's answer, even if no memory is left when the answer
// arrives.
#include <gtest/gtest.h>

#include "../../iwarp/no_memory.h"
#include "silent_world.h"

namespace datum {
namespace {

using iwarp::test::NoMemory;
using test::PlainHandles;
using test::SilentTransport;
using test::StillTime;

// An endpoint that has sent its request and waits for the answer.
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

  // The most that MPA carries (RFC 5044 section 7.1). Own peers send at most 256 octets.
  const std::vector<std::byte> most_ = std::vector<std::byte>(512, std::byte{0x5a});
  PlainHandles handles_;
  StillTime time_;
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
