// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An end in order whose last message finds no Recv: when it comes, whatever still moves at first.
#include <gtest/gtest.h>

#include "silent_world.h"

namespace datum {
namespace {

using test::PlainHandles;
using test::SilentTransport;
using test::StillTime;

// A connected endpoint with a Send that does not end.
class Drain : public testing::Test {
 protected:
  Drain() {
    environment_.handles = &handles_;
    environment_.progress = &time_;
    environment_.timers = &timers_;
    environment_.random = &random_;
    environment_.drain_patience = 2 * kSecond;
    adapter_ = std::make_unique<InterfaceAdapter>(environment_, transport_);
    EventDispatcher* evd = *adapter_->create_evd(8, nullptr, kEvdDto | kEvdConnection);
    EndpointParts parts;
    parts.zone = *adapter_->create_zone();
    parts.recv_evd = parts.request_evd = evd;
    parts.connect_evd = {.own = evd};
    endpoint_ = *adapter_->create_endpoint(parts, nullptr, nullptr);
    EXPECT_TRUE(endpoint_->connect({}, 1, 0xffffffff, {}).ok());
    endpoint_->on_established({}, 4);
    EXPECT_TRUE(endpoint_->post_send({}, 1, 0).ok());
  }
  ~Drain() override { adapter_->close(); }

  void pass_until(Instant time) {
    for (; time_.time < time; time_.time += kMillisecond) timers_.run(time_.time);
    timers_.run(time_.time);
  }
  void end_in_order() { EXPECT_TRUE(endpoint_->disconnect(true).ok()); }
  EpState state_at(Instant time) {
    pass_until(time);
    return endpoint_->state();
  }

  PlainHandles handles_;
  StillTime time_;
  TimerQueue timers_;
  SeededRandom random_{7};
  SilentTransport transport_;
  AdapterEnvironment environment_;
  std::unique_ptr<InterfaceAdapter> adapter_;
  Endpoint* endpoint_ = nullptr;
};

// Rules: DISC.3.default
TEST_F(Drain, WhatLeavesJustAfterTheCallCostsNoSecondPeriod) {
  end_in_order();
  pass_until(kMillisecond);
  ++transport_.moved;
  EXPECT_EQ(state_at(1999 * kMillisecond), EpState::DisconnectPending);
  EXPECT_EQ(state_at(2000 * kMillisecond), EpState::Disconnected);
}

// Rules: DISC.3.default
TEST_F(Drain, WhatDoesNotMoveEndsWhenTheTimeIsOver) {
  end_in_order();
  EXPECT_EQ(state_at(1999 * kMillisecond), EpState::DisconnectPending);
  EXPECT_EQ(state_at(2000 * kMillisecond), EpState::Disconnected);
}

// Rules: DISC.3 DISC.3.default
TEST_F(Drain, WhatMovesHasItsTimeFromThen) {
  end_in_order();
  for (int i = 1; i <= 100; ++i) {
    pass_until(i * kSecond - kMillisecond);
    ++transport_.moved;
    ASSERT_EQ(state_at(i * kSecond), EpState::DisconnectPending) << i;
  }
  EXPECT_EQ(state_at(101 * kSecond + 749 * kMillisecond), EpState::DisconnectPending);
  EXPECT_EQ(state_at(101 * kSecond + 750 * kMillisecond), EpState::Disconnected);
}

} // namespace
} // namespace datum
