// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages that leave within the call that starts them, and what is told of them afterwards.
#include <gtest/gtest.h>

#include "own_peer_sides.h"

namespace datum::iwarp::test::own_peer {
namespace {

std::size_t at_once(const Session& session) {
  std::array<Octets, 4> pieces;
  const std::size_t count = session.output_at_once(pieces);
  std::size_t octets = 0;
  for (std::size_t i = 0; i < count; ++i) octets += pieces[i].size();
  return octets;
}

// Rules: iwarp.O18
TEST(IwarpOwnPeer, AMessageCanLeaveWithinTheCallThatStartsIt) {
  constexpr std::size_t kFpdu = 2 + 18 + 100 + 4;
  Initiator side;
  side.feed(hello(kHello));
  ASSERT_EQ(side.session.start_now(side.work), StartResult::Started);
  EXPECT_EQ(at_once(side.session), kFpdu);
  EXPECT_FALSE(side.session.sent_at_once(kFpdu)) << "the peer will say when it is placed";
  EXPECT_FALSE(side.session.has_output());
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  EXPECT_EQ(at_once(side.session), kFpdu);
  side.session.sent_at_once(25);
  EXPECT_EQ(at_once(side.session), 0U) << "what has begun is finished in its turn";
  EXPECT_EQ(side.take_output().size(), kFpdu - 25);
  EXPECT_EQ(side.events.log(), Log{}) << "nobody is told anything within the call";
  side.feed(ack(2));
  EXPECT_EQ(side.events.log(), Log{"placed 2"});
}

// If a consumer has many outstanding requests, the session does not assume that it waits for one.
// Rules: iwarp.O18
TEST(IwarpOwnPeer, AFifthOutstandingRequestIsNotAwaited) {
  Initiator side;
  side.feed(hello(kHello));
  for (int i = 1; i <= 4; ++i) {
    ASSERT_EQ(side.session.start_now(side.work), StartResult::Started);
    EXPECT_TRUE(side.session.is_awaited()) << i;
    side.session.sent_at_once(at_once(side.session));
  }
  ASSERT_EQ(side.session.start_now(side.work), StartResult::Started);
  EXPECT_FALSE(side.session.is_awaited());
  side.feed(ack(1));
  EXPECT_TRUE(side.session.is_awaited());
}

// Rules: iwarp.O18
TEST(IwarpOwnPeer, ALongMessageCanLeaveWithinItsCallAsLongAsItsMemoryMayBeRead) {
  Initiator side;
  side.feed(hello(kHello));
  EXPECT_EQ(at_once(side.session), 0U) << "there is nothing";
  Bytes data = pattern(9000, 3, 1); // more than is copied
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest gathered = send_of(std::span(&local, 1));
  ASSERT_EQ(side.session.start(gathered), StartResult::Started);
  EXPECT_EQ(at_once(side.session), 2U + 18U + 9000U + 4U);
  side.events.local_memory_valid = false;
  EXPECT_EQ(at_once(side.session), 0U) << "which its turn will find out";
}

// Rules: iwarp.O18, iwarp.O8
TEST(IwarpOwnPeer, WhatLeftToAForeignPeerWithinItsCallIsToldAfterwards) {
  Initiator side;
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  EXPECT_FALSE(side.session.sent_at_once(at_once(side.session))) << "it may still say Hello";
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0))); // its first FPDU is no Hello
  EXPECT_EQ(side.events.take_log(), Log{"placed 1"});
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  EXPECT_TRUE(side.session.sent_at_once(at_once(side.session)));
  EXPECT_EQ(side.events.log(), Log{}) << "nobody is told anything within the call";
  side.session.tell_sent(0);
  EXPECT_EQ(side.events.log(), Log{"placed 1"});
}

} // namespace
} // namespace datum::iwarp::test::own_peer
