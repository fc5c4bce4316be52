// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The handshake of ShmFabric, from a dial to a link: which adapter a dial finds, and how many links
// there are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "tests/one_core.h"
#include "tests/unit/shm/test_world.h"

namespace datum::test {
namespace {

// A qualifier beyond 16 bits. Test programs that run at the same time get different qualifiers.
ConnQual large_qualifier() {
  return (ConnQual{1} << 40U) + static_cast<ConnQual>(::getpid());
}

class Handshake : public testing::Test {
 protected:
  World world;
  Adapter a{world, "127.0.0.1"};
  Adapter b{world, "127.0.0.1"};
};

TEST_F(Handshake, ADialMakesALinkWithASideForEach) {
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  ASSERT_EQ(a.links.size(), 1U);
  ASSERT_EQ(b.links.size(), 1U);
  EXPECT_EQ(a.links[0], dialled.port);
  EXPECT_EQ(a.links[0]->side(), 0);
  EXPECT_EQ(b.links[0]->side(), 1);
  EXPECT_EQ(b.links[0]->peer_address(), address_of("127.0.0.1"));
}

TEST_F(Handshake, APeerThatMayRunOnlyOnOurCoreSharesIt) {
  for (const bool pinned : {false, true}) {
    const auto core = pinned ? std::make_unique<OneCore>() : nullptr;
    Adapter c{world, "127.0.0.1"};
    const auto name = publish_any(c);
    Dialled dialled;
    dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
    ASSERT_NE(dialled.port, nullptr);
    EXPECT_EQ(dialled.port->shares_core(), pinned || cores_allowed() == 1);
    EXPECT_EQ(c.links[0]->shares_core(), pinned || cores_allowed() == 1);
  }
}

TEST_F(Handshake, BothSidesShareOneSegment) {
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  a.links[0]->segment().side[0].mark.store(0x1234);
  b.links[0]->segment().side[1].mark.store(0x5678);
  EXPECT_EQ(b.links[0]->segment().side[0].mark.load(), 0x1234U);
  EXPECT_EQ(a.links[0]->segment().side[1].mark.load(), 0x5678U);
  EXPECT_EQ(a.links[0]->segment().magic, 0x44544c4bU);
  EXPECT_EQ(a.links[0]->segment().version, 4U) << "it tells apart builds whose segments differ";
}

TEST_F(Handshake, ASecondDialIsGivenTheSameLink) {
  const auto name = publish_any(b);
  const auto other = publish_any(b);
  Dialled first;
  Dialled second;
  dial_now(world, a, "127.0.0.1", name->qualifier(), first);
  dial_now(world, a, "127.0.0.1", other->qualifier(), second);
  ASSERT_NE(first.port, nullptr);
  EXPECT_EQ(first.port, second.port);
  EXPECT_EQ(a.links.size(), 1U);
  EXPECT_EQ(b.links.size(), 1U);
}

TEST_F(Handshake, ADialInTheOtherDirectionIsGivenTheSameLink) {
  const auto of_a = publish_any(a);
  const auto of_b = publish_any(b);
  Dialled there;
  Dialled back;
  dial_now(world, a, "127.0.0.1", of_b->qualifier(), there);
  dial_now(world, b, "127.0.0.1", of_a->qualifier(), back);
  ASSERT_EQ(b.links.size(), 1U);
  EXPECT_EQ(back.port, b.links[0]);
  EXPECT_EQ(a.links.size(), 1U);
}

TEST_F(Handshake, DialsThatCrossEndInOneLink) {
  const auto of_a = publish_any(a);
  const auto of_b = publish_any(b);
  Dialled there;
  Dialled back;
  start_dial(a, "127.0.0.1", of_b->qualifier(), there);
  start_dial(b, "127.0.0.1", of_a->qualifier(), back);
  ASSERT_TRUE(world.run_until([&] { return there.over() && back.over(); }));
  ASSERT_EQ(a.links.size(), 1U);
  ASSERT_EQ(b.links.size(), 1U);
  EXPECT_EQ(there.port, a.links[0]);
  EXPECT_EQ(back.port, b.links[0]);
}

TEST_F(Handshake, ManyDialsAtOnceMakeOneLink) {
  const auto name = publish_any(b);
  std::vector<Dialled> dials(100);
  for (Dialled& dial : dials) start_dial(a, "127.0.0.1", name->qualifier(), dial);
  ASSERT_TRUE(world.run_until([&] {
    return std::all_of(dials.begin(), dials.end(), [](const Dialled& d) { return d.over(); });
  }));
  ASSERT_EQ(a.links.size(), 1U);
  EXPECT_EQ(b.links.size(), 1U);
  for (const Dialled& dial : dials) EXPECT_EQ(dial.port, a.links[0]);
}

TEST_F(Handshake, ADialToOurselvesHasTwoPortsInOneAdapter) {
  const auto name = publish_any(a);
  Dialled first;
  Dialled second;
  dial_now(world, a, "127.0.0.1", name->qualifier(), first);
  ASSERT_NE(first.port, nullptr);
  EXPECT_EQ(first.port->side(), 0);
  ASSERT_EQ(a.links.size(), 2U);
  EXPECT_EQ(a.links[0]->side() + a.links[1]->side(), 1);
  dial_now(world, a, "127.0.0.1", name->qualifier(), second);
  EXPECT_EQ(second.port, first.port);
  EXPECT_EQ(a.links.size(), 2U);
}

TEST_F(Handshake, WhereNobodyListensADialSaysSo) {
  ConnQual free = 0;
  {
    const auto name = publish_any(b);
    free = name->qualifier();
  }
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", free, dialled);
  EXPECT_EQ(dialled.failure, DialFailure::NobodyListens);
  EXPECT_EQ(dialled.outcomes, 1);
}

TEST_F(Handshake, AnAddressOfAnotherHostIsUnreachable) {
  Dialled dialled;
  dial_now(world, a, "192.0.2.1", 5000, dialled);
  EXPECT_EQ(dialled.failure, DialFailure::Unreachable);
}

TEST_F(Handshake, AnAddressThatCannotBeFailsAtOnce) {
  Dialled dialled;
  const auto unspecified = a.fabric->dial(address_of("0.0.0.0"), 5000, dialled);
  ASSERT_FALSE(unspecified.has_value());
  EXPECT_EQ(unspecified.error().type(), Type::InvalidAddress);
  const auto multicast = a.fabric->dial(address_of("224.0.0.1"), 5000, dialled);
  ASSERT_FALSE(multicast.has_value());
  EXPECT_EQ(multicast.error().type(), Type::InvalidAddress);
  const auto no_family = a.fabric->dial(Address{}, 5000, dialled);
  ASSERT_FALSE(no_family.has_value());
  EXPECT_EQ(no_family.error().type(), Type::InvalidAddress);
}

TEST_F(Handshake, NothingIsReportedFromWithinDial) {
  Dialled dialled;
  start_dial(a, "192.0.2.1", 5000, dialled);
  EXPECT_FALSE(dialled.over());
  EXPECT_EQ(world.time.wakes, 1);
}

TEST_F(Handshake, ADestroyedDialReportsNothing) {
  const auto name = publish_any(b);
  Dialled dialled;
  start_dial(a, "127.0.0.1", name->qualifier(), dialled);
  world.turn();
  world.turn();
  dialled.dial.reset();
  Dialled other;
  dial_now(world, a, "127.0.0.1", name->qualifier(), other);
  EXPECT_EQ(dialled.outcomes, 0);
  EXPECT_NE(other.port, nullptr);
}

TEST_F(Handshake, AQualifierBeyondSixteenBitsIsFoundByName) {
  auto name = b.fabric->publish(large_qualifier());
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ((*name)->qualifier(), large_qualifier());
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", large_qualifier(), dialled);
  EXPECT_NE(dialled.port, nullptr);
}

TEST_F(Handshake, AWildcardAdapterAnswersAtEveryAddress) {
  ShmOptions every;
  every.every_address = true;
  Adapter wildcard(world, "127.0.0.1", every);
  const auto name = publish_any(wildcard);
  Dialled first;
  Dialled second;
  dial_now(world, a, "127.0.0.1", name->qualifier(), first);
  dial_now(world, b, "127.9.8.7", name->qualifier(), second);
  EXPECT_NE(first.port, nullptr);
  EXPECT_NE(second.port, nullptr);
  EXPECT_EQ(wildcard.links.size(), 2U);
}

TEST_F(Handshake, TheDoorbellReachesTheOtherSideOnly) {
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  dialled.port->ring_doorbell();
  ASSERT_TRUE(world.run_until([&] { return b.doorbells[b.links[0]] > 0; }));
  EXPECT_EQ(a.doorbells[a.links[0]], 0);
  b.links[0]->ring_doorbell();
  ASSERT_TRUE(world.run_until([&] { return a.doorbells[a.links[0]] > 0; }));
}

TEST_F(Handshake, DoorbellsBeyondWhatTheSocketHoldsAreHarmless) {
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  for (int i = 0; i < 20000; ++i) dialled.port->ring_doorbell();
  ASSERT_TRUE(world.run_until([&] { return b.doorbells[b.links[0]] > 0; }));
  EXPECT_EQ(b.lost, 0);
}

TEST_F(Handshake, TheEndOfAFabricIsALostLink) {
  const auto name = publish_any(b);
  Dialled dialled;
  {
    Adapter short_lived(world, "127.0.0.1");
    dial_now(world, short_lived, "127.0.0.1", name->qualifier(), dialled);
    ASSERT_EQ(b.links.size(), 1U);
    dialled.dial.reset();
  }
  ASSERT_TRUE(world.run_until([&] { return b.lost == 1; }));
  EXPECT_TRUE(b.links.empty());
}

TEST_F(Handshake, ACondemnedLinkIsLostOnBothSidesLater) {
  const auto name = publish_any(b);
  Dialled dialled;
  dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_NE(dialled.port, nullptr);
  dialled.port->condemn("a test said so");
  dialled.port->condemn("twice");
  EXPECT_EQ(a.lost, 0);
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1 && b.lost == 1; }));
  Dialled again;
  dial_now(world, a, "127.0.0.1", name->qualifier(), again);
  EXPECT_NE(again.port, nullptr);
  EXPECT_EQ(a.lost, 1);
}

TEST_F(Handshake, ThePeerOfACondemnedLinkLearnsItWithoutATurnOfOurs) {
  World peers_own;
  Adapter peer(peers_own, "127.0.0.1");
  const auto name = publish_any(peer);
  Dialled dialled;
  start_dial(a, "127.0.0.1", name->qualifier(), dialled);
  ASSERT_TRUE(world.run_until([&] {
    peers_own.turn(0);
    return dialled.over();
  }));
  ASSERT_NE(dialled.port, nullptr);
  ASSERT_EQ(peer.links.size(), 1U);
  dialled.port->condemn("a test said so");
  for (int i = 0; i < 20; ++i) peers_own.turn(0);
  EXPECT_EQ(peer.lost, 1);
  EXPECT_EQ(a.lost, 0);
}

} // namespace
} // namespace datum::test
