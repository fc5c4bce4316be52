// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An orderly end while the peer has no Recv for the last message. The tests check when the
// connection ends, also while other requests still move.
#include <gtest/gtest.h>

#include "bare_world.h"
#include "core/endpoint/drain.h"
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

// Drain without an endpoint, on a stream with two Sends.
class DrainAlone : public testing::Test, protected test::BareWorld, protected Drained {
 protected:
  DrainAlone() {
    stream_.open(channel_, 0);
    for (std::uint64_t cookie = 1; cookie != 3; ++cookie) {
      WorkRequest work;
      stream_.submit(work, cookie, 0);
    }
    channel_.waits = true;
    drain_.begin(channel_);
  }
  void on_drained() override {
    ++drained_;
    drain_.cancel();
  }
  void pass_until(Instant until) {
    for (; time.time < until; time.time += kMillisecond) timers.run(time.time);
    timers.run(time.time);
  }
  void end_one() {
    stream_.on_placed(1);
    drain_.on_requests_retired();
  }

  int drained_ = 0;
  test::CountingFrame frame_{services, &zone, attributes};
  test::ScriptedChannel channel_;
  RequestStream stream_{frame_, nullptr};
  datum::Drain drain_{context, stream_, *this};
};

// Rules: DISC.3
TEST_F(DrainAlone, ARequestThatEndsGivesTheNextItsTime) {
  pass_until(1900 * kMillisecond);
  end_one();
  pass_until(3899 * kMillisecond);
  EXPECT_EQ(drained_, 0);
  pass_until(3900 * kMillisecond);
  EXPECT_EQ(drained_, 1);
}

TEST_F(DrainAlone, ItEndsWithTheLastRequest) {
  end_one();
  EXPECT_EQ(drained_, 0);
  end_one();
  EXPECT_EQ(drained_, 1);
  pass_until(10 * kSecond);
  EXPECT_EQ(drained_, 1);
}

} // namespace
} // namespace datum
