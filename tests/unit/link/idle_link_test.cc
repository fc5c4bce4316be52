// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A link without connections may end, but no request may be lost with it.
#include "pair.h"

namespace datum::test {
namespace {

class IdleLinks : public ::testing::Test {
 protected:
  void SetUp() override {
    pair.connect();
    ASSERT_TRUE(pair.passive.adapter
                    .create_psp(&qualifier, pair.passive.cr_evd, ServicePoint::EpSource::Consumer)
                    .has_value());
  }
  void disconnect() {
    ASSERT_TRUE(pair.active.ep.disconnect(false).ok());
    pair.world.settle();
    EXPECT_EQ(pair.active.next(pair.active.connect_evd).kind, EventKind::Disconnected);
    EXPECT_EQ(pair.passive.next(pair.passive.connect_evd).kind, EventKind::Disconnected);
  }
  // Puts a request into the ring. The other side does not poll.
  void request() {
    ASSERT_TRUE(pair.active.ep.reset().ok());
    ASSERT_TRUE(pair.active.ep.connect({}, qualifier, 0xffffffff, {}).ok());
    pair.world.a->transport.progress();
  }
  static LinkPort& port(Node& node) { return *node.fabric.ports.front(); }
  static IdleLink judge(Node& node) { return node.fabric.events()->judge_idle(port(node)); }
  static std::uint32_t retired(Node& node) {
    return port(node).segment().side[port(node).side()].retired.load();
  }
  void lose_link() {
    for (Node* node : {pair.world.b.get(), pair.world.a.get()})
      node->fabric.events()->on_link_lost(port(*node));
    for (Node* node : {pair.world.b.get(), pair.world.a.get()}) node->fabric.ports.clear();
  }

  const ConnQual qualifier = 4002;
  Pair pair;
};

TEST_F(IdleLinks, OneWithAConnectionIsInUse) {
  EXPECT_EQ(judge(*pair.world.b), IdleLink::InUse);
  EXPECT_EQ(retired(*pair.world.b), 0U);
  disconnect();
  EXPECT_EQ(judge(*pair.world.b), IdleLink::Drop);
  EXPECT_EQ(retired(*pair.world.b), 1U);
}

// Nothing comes by an idle link, so it does not matter where its peer runs.
TEST_F(IdleLinks, OnlyPeersOfConnectionsShareTheCore) {
  const Transport& transport = pair.world.a->transport;
  EXPECT_FALSE(transport.shares_core());
  pair.world.a->fabric.ports.front()->on_our_core = true;
  EXPECT_TRUE(transport.shares_core());
  disconnect();
  EXPECT_FALSE(transport.shares_core());
}

// What comes from a peer elsewhere would be late if this side gave up the core.
TEST_F(IdleLinks, TheCoreIsSharedIfEachPeerSharesIt) {
  Node third(pair.world, pair.world.options, 0, false);
  Side side(third);
  ASSERT_TRUE(side.ep.connect({}, qualifier, 0xffffffff, {}).ok());
  while (third.transport.progress()) pair.world.settle();
  auto& ports = pair.world.b->fabric.ports;
  ASSERT_EQ(ports.size(), 2U);
  const Transport& transport = pair.world.b->transport;
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      ports[0]->on_our_core = first;
      ports[1]->on_our_core = second;
      EXPECT_EQ(transport.shares_core(), first && second);
    }
  }
  third.fabric.events()->on_link_lost(*third.fabric.ports.front());
  pair.world.b->fabric.events()->on_link_lost(*ports[1]);
  ports.pop_back();
}

TEST_F(IdleLinks, ARequestThatCameInTimeKeepsIt) {
  disconnect();
  request();
  EXPECT_EQ(judge(*pair.world.b), IdleLink::InUse);
  EXPECT_EQ(retired(*pair.world.b), 0U);
  EXPECT_EQ(pair.passive.next(pair.passive.cr_evd).kind, EventKind::ConnectionRequest);
}

TEST_F(IdleLinks, ARequestThatCameTooLateIsMadeAnewAndOnce) {
  disconnect();
  ASSERT_EQ(judge(*pair.world.b), IdleLink::Drop);
  request();
  lose_link();
  pair.world.settle();
  EXPECT_EQ(pair.passive.cr_evd.count(), 1);
  EXPECT_EQ(pair.active.ep.state(), EpState::ActivePending);
  EXPECT_EQ(pair.active.connect_evd.count(), 0);
}

TEST_F(IdleLinks, ARequestOverALinkThatWasLostOtherwiseFails) {
  disconnect();
  request();
  lose_link();
  pair.world.settle();
  EXPECT_EQ(pair.active.next(pair.active.connect_evd).kind, EventKind::NonPeerRejected);
}

TEST_F(IdleLinks, AnUnlistenedQualifierIsRefusedAfterTheSecondDial) {
  disconnect();
  ASSERT_EQ(judge(*pair.world.b), IdleLink::Drop);
  request();
  pair.world.names.erase(qualifier);
  lose_link();
  pair.world.settle();
  EXPECT_EQ(pair.active.next(pair.active.connect_evd).kind, EventKind::NonPeerRejected);
}

} // namespace
} // namespace datum::test
