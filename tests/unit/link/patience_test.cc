// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A connect to a qualifier without a listener: how often it asks, for how long, and what ends it.
#include "core/endpoint/attribute_rules.h"
#include "pair.h"

namespace datum::test {
namespace {

constexpr ConnQual kQualifier = 4000;
constexpr Duration kGrace = 50 * kMillisecond;

class Patience : public ::testing::Test {
 protected:
  void connect(std::uint32_t timeout_us = 0xffffffff) {
    ASSERT_TRUE(active.ep.connect({}, kQualifier, timeout_us, {}).ok());
    world.settle();
  }
  ServicePoint& listen(EventDispatcher& evd) {
    return *passive.adapter.create_psp(&kQualifier, evd, ServicePoint::EpSource::Consumer).value();
  }
  ConnectionRequest& request(EventKind kind = EventKind::ConnectionRequest) {
    const Event event = passive.next(passive.cr_evd);
    EXPECT_EQ(event.kind, kind);
    return *const_cast<ConnectionRequest*>(
        static_cast<const ConnectionRequest*>(static_cast<const Object*>(event.data)));
  }
  int asked() const { return world.a->fabric.dialled; }
  // No event has come, and the connect does not ask again.
  void expect_silence() {
    const int before = asked();
    world.advance(kSecond);
    EXPECT_EQ(asked(), before);
    EXPECT_EQ(active.connect_evd.count(), 0);
  }

  LocalWorld world{false, kGrace};
  Side active{*world.a};
  Side passive{*world.b};
};

// Rules: CONN.27
TEST_F(Patience, AServicePointThatComesLateGetsOneRequest) {
  connect();
  world.advance(5 * kMillisecond);
  EXPECT_EQ(active.ep.state(), EpState::ActivePending);
  EXPECT_EQ(active.connect_evd.count(), 0);
  listen(passive.cr_evd);
  world.advance(5 * kMillisecond);
  EXPECT_EQ(passive.cr_evd.count(), 1);
  // A request that has reached a service point waits for its answer beyond the grace, and is not
  // repeated.
  world.advance(kSecond);
  EXPECT_EQ(passive.cr_evd.count(), 1);
  ConnectionRequest& cr = request();
  ASSERT_TRUE(cr.accept(&passive.ep, {}).ok());
  passive.adapter.consume(cr);
  world.settle();
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::Established);
  EXPECT_EQ(passive.next(passive.connect_evd).kind, EventKind::Established);
  expect_silence();
}

// Rules: CONN.3 CONN.27
TEST_F(Patience, EndsWithTheGrace) {
  connect();
  for (int i = 1; i < 50; ++i) world.advance(kMillisecond);
  EXPECT_EQ(active.connect_evd.count(), 0);
  world.advance(kMillisecond);
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::NonPeerRejected);
  EXPECT_EQ(active.ep.state(), EpState::Disconnected);
  EXPECT_EQ(asked(), 7) << "after 0, 1, 3, 7, 15, 31 and 50 ms";
  expect_silence();
}

// Rules: CONN.27
TEST_F(Patience, IsNotUsedUpWhileNobodyCanBeAsked) {
  connect();
  world.a->fabric.lacks_descriptors = true;
  world.advance(kSecond);
  EXPECT_EQ(active.connect_evd.count(), 0);
  EXPECT_EQ(asked(), 1);
  listen(passive.cr_evd);
  world.a->fabric.lacks_descriptors = false;
  world.advance(kGrace);
  EXPECT_EQ(passive.cr_evd.count(), 1);
}

// Rules: CONN.27
TEST_F(Patience, LeavesTheAnswerHalfOfTheConsumersTime) {
  connect(20'000);
  world.advance(10 * kMillisecond - 1);
  EXPECT_EQ(active.connect_evd.count(), 0);
  world.advance(1);
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::NonPeerRejected);
  expect_silence();
}

// Rules: CONN.8
TEST_F(Patience, DoesNotMoveTheDeadline) {
  connect(200'000);
  world.advance(kGrace / 2);
  listen(passive.cr_evd);
  world.advance(kGrace / 2);
  EXPECT_EQ(passive.cr_evd.count(), 1);
  world.advance(150 * kMillisecond - 1);
  EXPECT_EQ(active.connect_evd.count(), 0);
  world.advance(1);
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::TimedOut);
  expect_silence();
}

// Rules: CONN.2 CONN.28
TEST_F(Patience, ARejectIsFinal) {
  listen(passive.cr_evd);
  connect();
  ConnectionRequest& cr = request();
  cr.reject({});
  passive.adapter.consume(cr);
  world.settle();
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::PeerRejected);
  expect_silence();
}

// Rules: CONN.4 CONN.28
TEST_F(Patience, AListenerThatIsFullIsFinal) {
  EventDispatcher& small = *passive.adapter.create_evd(1, nullptr, kEvdCr | kEvdSoftware).value();
  listen(small);
  while (!small.full()) ASSERT_TRUE(small.post_software(0).ok());
  connect();
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::NonPeerRejected);
  expect_silence();
}

// Rules: CONN.10 CONN.28
TEST_F(Patience, EndsWithADisconnect) {
  ASSERT_TRUE(active.receive(0, 16, 7).ok());
  connect();
  world.advance(5 * kMillisecond);
  ASSERT_TRUE(active.ep.disconnect(false).ok());
  EXPECT_EQ(active.next().cookie, 7U);
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::Disconnected);
  expect_silence();
  // The next attempt has a grace of its own.
  ASSERT_TRUE(active.ep.reset().ok());
  connect();
  world.advance(kGrace - 1);
  EXPECT_EQ(active.connect_evd.count(), 0);
  world.advance(1);
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::NonPeerRejected);
}

// Rules: CONN.11 CONN.28
TEST_F(Patience, EndsWithTheEndpoint) {
  connect();
  world.advance(5 * kMillisecond);
  ASSERT_TRUE(active.adapter.free(active.ep).ok());
  expect_silence();
}

// Rules: CONN.28
TEST_F(Patience, EndsWithTheAdapter) {
  connect();
  world.advance(5 * kMillisecond);
  world.a->adapter.reset();
  const int before = asked();
  world.advance(kSecond);
  EXPECT_EQ(asked(), before);
}

class PatienceOfDatagrams : public Patience {
 protected:
  static EndpointAttributes attributes(Side& side) {
    EndpointAttributes chosen = default_attributes(side.adapter);
    chosen.datagrams = true;
    return chosen;
  }
  static Endpoint& endpoint(Side& side) {
    const EndpointAttributes chosen = attributes(side);
    return *side.adapter
                .create_endpoint({&side.zone, &side.evd, &side.evd, {&side.connect_evd}}, nullptr,
                                 &chosen)
                .value();
  }
  void resolve() {
    ASSERT_TRUE(from.connect({}, kQualifier, 0xffffffff, {}).ok());
    world.settle();
  }
  Endpoint& from = endpoint(active);
  Endpoint& to = endpoint(passive);
};

// Rules: CONN.27
TEST_F(PatienceOfDatagrams, AServicePointThatComesLateGetsOneRequest) {
  resolve();
  world.advance(5 * kMillisecond);
  listen(passive.cr_evd);
  world.advance(kGrace);
  EXPECT_EQ(passive.cr_evd.count(), 1);
  ConnectionRequest& cr = request(EventKind::DatagramsRequest);
  ASSERT_TRUE(cr.accept(&to, {}).ok());
  passive.adapter.consume(cr);
  world.settle();
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::DatagramsResolved);
  expect_silence();
}

// Rules: CONN.27
TEST_F(PatienceOfDatagrams, EndsWithTheGrace) {
  resolve();
  world.advance(kGrace - 1);
  EXPECT_EQ(active.connect_evd.count(), 0);
  world.advance(1);
  EXPECT_EQ(active.next(active.connect_evd).kind, EventKind::DatagramsFailed);
  expect_silence();
}

// Rules: CONN.28
TEST_F(PatienceOfDatagrams, EndsWithADisconnect) {
  resolve();
  ASSERT_TRUE(from.disconnect(false).ok());
  while (active.connect_evd.count() != 0) active.next(active.connect_evd);
  expect_silence();
}

} // namespace
} // namespace datum::test
