// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Own peers: Hello and acknowledgements. A foreign peer is not taken for an own one.
#include <gtest/gtest.h>

#include "own_peer_sides.h"

namespace datum::iwarp::test::own_peer {
namespace {

// Rules: iwarp.O1
TEST(IwarpOwnPeer, BothSaySoInTheirFirstFpdus) {
  Pair pair;
  pair.connect();
  EXPECT_TRUE(pair.active.session.peer_is_own());
  EXPECT_TRUE(pair.passive.session.peer_is_own());
}

// Rules: iwarp.O1
TEST(IwarpOwnPeer, ResponderAnswersAHelloWithItsOwnFirstFpdu) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(kRequest);
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.feed(hello(kHello));
  EXPECT_TRUE(side.session.peer_is_own());
  EXPECT_EQ(to_hex(side.take_output()).substr(0, 32), "000ec14000000001445457501001ffff");
}

// Rules: iwarp.O1
TEST(IwarpOwnPeer, SwitchedOffByEitherSide) {
  for (const bool active : {false, true}) {
    PairOptions options;
    (active ? options.active : options.passive).hello = false;
    Pair pair(options);
    pair.connect();
    pair.active.session.on_time(kSecond);
    pair.active.session.on_time(2 * kSecond);
    pair.pump();
    EXPECT_FALSE(pair.active.session.peer_is_own());
    EXPECT_FALSE(pair.passive.session.peer_is_own());
    const Bytes data = pattern(10, 1, 1);
    const LocalTriplet local = triplet(data.data(), data.size());
    const WorkRequest work = send_of(std::span(&local, 1));
    pair.passive.events.post_receive(10);
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
    pair.pump();
    EXPECT_EQ(pair.active.events.log(), Log{"placed 1"});
    EXPECT_EQ(pair.passive.events.log(), Log{"received 10"});
  }
}

// Rules: iwarp.O2
TEST(IwarpOwnPeer, UnknownHellosMakeAForeignPeer) {
  for (const std::uint64_t offset : {std::uint64_t{0},                     // plain RTR
                                     std::uint64_t{0x4454575110004e20},    // another magic
                                     std::uint64_t{0x4454575020004e20},    // a later version
                                     std::uint64_t{0x445457501000007f}}) { // too short ULPDUs
    Side side;
    side.session.expect_request(0);
    side.feed_hex(kRequest);
    side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
    side.take_output();
    side.feed(hello(offset));
    EXPECT_FALSE(side.session.peer_is_own());
    EXPECT_FALSE(side.session.has_output());
    // Later messages in the form of an own peer mean nothing.
    side.feed(ack(7));
    side.feed(close_frame());
    side.feed(hello(kHello));
    EXPECT_EQ(side.events.log().back(), "established  reads 4");
    EXPECT_FALSE(side.session.peer_is_own());
  }
}

// Rules: iwarp.O2
TEST(IwarpOwnPeer, HelloWhereTheReplyChoseAnotherFormIsAWriteOfNothing) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d6550020004"
                "80104010"); // D only
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.feed(hello(kHello));
  EXPECT_FALSE(side.session.peer_is_own());
}

// Rules: iwarp.O3
TEST(IwarpOwnPeer, SendAndWriteEndWhenTheyArePlaced) {
  Initiator side;
  side.feed(hello(kHello));
  ASSERT_TRUE(side.session.peer_is_own());
  const WorkRequest write = write_of(std::span(&side.local, 1), 9, nullptr);
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  ASSERT_EQ(side.session.start(write), StartResult::Started);
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  EXPECT_EQ(side.events.log(), Log{}) << "TCP has it, the peer has not";
  side.feed(ack(2));
  EXPECT_EQ(side.events.log(), Log{"placed 2"});
  side.feed(ack(2));
  EXPECT_EQ(side.events.log(), Log{"placed 2"});
  side.feed(ack(3));
  EXPECT_EQ(side.events.log(), (Log{"placed 2", "placed 1"}));
}

// Rules: iwarp.O4
TEST(IwarpOwnPeer, ForgedAcknowledgementsEndTheConnection) {
  const auto refused = [](const Bytes& frame, std::size_t sends) {
    Initiator side;
    side.feed(hello(kHello));
    for (std::size_t i = 0; i < sends; ++i)
      EXPECT_EQ(side.session.start(side.work), StartResult::Started);
    side.take_output();
    side.feed(frame);
    EXPECT_EQ(to_hex(side.take_output()),
              to_hex(fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("02ff0000"))));
    EXPECT_EQ(side.events.log(), Log{"broken"});
  };
  refused(ack(1), 0);          // nothing was sent
  refused(ack(3), 2);          // more than was sent
  refused(ack(0xffffffff), 2); // less than was acknowledged before
  refused(fpdu(tagged(Rdmap::Write, 2, std::uint64_t{1} << 32U | 1U)), 2);
  refused(hello(kHello), 1); // a second Hello
  refused(fpdu(tagged(Rdmap::Write, 3, 5)), 1);
  refused(fpdu(tagged(Rdmap::Write, 4, 0)), 1);
}

// Rules: iwarp.O4
TEST(IwarpOwnPeer, AcknowledgementOfWhatTcpHasNotTakenIsForged) {
  Initiator side;
  side.feed(hello(kHello));
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output(30); // a part of it
  side.feed(ack(1));
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.O5
TEST(IwarpOwnPeer, AcknowledgementsAreCumulativeAndTravelWithWhatElseLeaves) {
  Pair pair;
  pair.connect();
  const Bytes data = pattern(8, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  Bytes octets;
  for (int i = 0; i < 5; ++i) {
    pair.passive.events.post_receive(8);
    ASSERT_EQ(pair.active.session.start_now(work), StartResult::Started);
  }
  pair.passive.feed(pair.active.take_output());
  EXPECT_TRUE(pair.passive.session.owes_ack());
  EXPECT_FALSE(pair.passive.session.has_output()) << "it may wait";
  pair.active.events.post_receive(8);
  ASSERT_EQ(pair.passive.session.start_now(work), StartResult::Started);
  const Bytes answer = pair.passive.take_output();
  EXPECT_FALSE(pair.passive.session.owes_ack());
  const std::vector<Bytes> frames = ulpdus(answer);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(to_hex(frames[0]), "c140000000020000000500000000");
  pair.active.feed(answer);
  EXPECT_EQ(pair.active.events.log(), (Log{"placed 5", "received 8"}));
}

// Rules: iwarp.O6
TEST(IwarpOwnPeer, AConsumersWriteOfNothingIsNotTakenForACarrier) {
  Pair pair;
  pair.connect();
  for (const Stag stag : {1U, 2U, 3U}) {
    WorkRequest work = write_of({}, stag, nullptr);
    work.remote.address = kHello;
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
    pair.pump();
  }
  EXPECT_EQ(pair.active.events.log(), (Log{"placed 1", "placed 1", "placed 1"}));
  EXPECT_EQ(pair.passive.events.log(), Log{});
}

// Rules: iwarp.O7
TEST(IwarpOwnPeer, LargestUlpduOfThePeerIsUsed) {
  Initiator side;
  Bytes data = pattern(30000, 3, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  side.session.set_segment_size(1448);
  side.feed(hello(kHello));
  ASSERT_EQ(side.session.start(work), StartResult::Started);
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].size(), 18U + 30000U - (20000U - 18U)); // the short one first
  EXPECT_EQ(frames[1].size(), 20000U);
}

// Rules: iwarp.O8
TEST(IwarpOwnPeer, ForeignPeersEndRequestsWhenTcpHasThem) {
  Initiator side;
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  EXPECT_EQ(side.events.log(), Log{}) << "it may still say Hello";
  // Its first FPDU is no Hello.
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  EXPECT_EQ(side.events.take_log(), Log{"placed 1"});
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output(25);
  EXPECT_EQ(side.events.log(), Log{}) << "a part";
  side.take_output();
  EXPECT_EQ(side.events.log(), Log{"placed 1"});
}

} // namespace
} // namespace datum::iwarp::test::own_peer
