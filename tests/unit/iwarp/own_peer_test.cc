// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Own peers: Hello, acknowledgements, the announced close. A foreign peer is not taken for an own
// one.
#include <gtest/gtest.h>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

Bytes hello(std::uint64_t offset) {
  return fpdu(tagged(Rdmap::Write, 1, offset));
}
// Magic, version 1, no flags, ULPDUs up to 20000.
constexpr std::uint64_t kHello = 0x4454575010004e20;

// An initiator that has sent its first FPDU. The test writes what its peer sends.
struct Initiator : Side {
  explicit Initiator(const SessionSettings& settings = {}, const char* reply = kReply)
      : Side(settings) {
    session.connect({}, {.reads_in = 16, .reads_out = 16}, events, 0);
    take_output();
    feed_hex(reply);
    take_output();
    events.take_log();
  }
  Bytes data = pattern(100, 7, 1);
  LocalTriplet local = triplet(data.data(), data.size());
  WorkRequest work = send_of(std::span(&local, 1));
};

Bytes ack(std::uint32_t placed) {
  return fpdu(tagged(Rdmap::Write, 2, std::uint64_t{placed} << 32U));
}
// The question to a silent peer: a Read of no octets, the first Read of the connection.
Bytes question() {
  return fpdu(untagged(Rdmap::ReadRequest, 1, 1), from_hex("00000001000000000000000000000000"
                                                           "000000010000000000000000"));
}
Bytes answer() {
  return fpdu(tagged(Rdmap::ReadResponse, 1, 0));
}
Bytes close_frame() {
  return fpdu(tagged(Rdmap::Write, 3, 0));
}

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

// The reply of a peer that serves no Reads. So the initiator cannot question this peer by a Read.
constexpr char kReplyWithoutReads[] = "4d504120494420526570204672616d6550020004"
                                      "80008010";

// Rules: iwarp.O9
TEST(IwarpOwnPeer, SilentPeerThatServesNoReadsIsTakenForAForeignOneAfterAWhile) {
  Initiator side({}, kReplyWithoutReads);
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  // At the first deadline the initiator finds that its Hello has arrived. It has to assume that the
  // Hello arrived only then. TCP may lose the peer's Hello four times, which takes 3 s more.
  Instant now = 0;
  for (int i = 0; i < 12; ++i) {
    now += kSecond / 4;
    ASSERT_EQ(side.session.deadline(), now);
    side.session.on_time(now);
    EXPECT_EQ(side.events.take_log(), Log{}) << now;
  }
  side.session.on_time(13 * kSecond / 4);
  EXPECT_EQ(side.events.take_log(), Log{"placed 1"});
  EXPECT_EQ(side.session.deadline(), kNever);
  side.take_output();
  // A Hello that arrives later still counts.
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.feed(hello(kHello));
  EXPECT_TRUE(side.session.peer_is_own());
  side.take_output();
  EXPECT_EQ(side.events.log(), Log{});
  side.feed(ack(1));
  EXPECT_EQ(side.events.log(), Log{});
  side.feed(ack(2));
  EXPECT_EQ(side.events.log(), Log{"placed 1"});
}

// siw may have overlooked the first FPDU. For a slow own peer the second FPDU is an acknowledgement
// of nothing.
// Rules: iwarp.O17
TEST(IwarpOwnPeer, SilentPeerThatServesNoReadsIsSentAWriteOfNothingOnce) {
  Initiator side({}, kReplyWithoutReads);
  side.session.on_time(kSecond / 4);
  EXPECT_FALSE(side.session.has_output());
  side.session.on_time(kSecond / 2);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(ack(0)));
  for (int i = 3; i < 100; ++i) side.session.on_time(i * kSecond / 4);
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.O17
TEST(IwarpOwnPeer, SilentPeerIsSentNothingWithinAMessage) {
  for (const char* reply : {kReply, kReplyWithoutReads}) {
    Initiator side({}, reply);
    const Bytes large = pattern(std::size_t{1} << 20, 7, 1);
    const LocalTriplet whole = triplet(large.data(), large.size());
    const WorkRequest work = write_of(std::span(&whole, 1), 9, nullptr);
    ASSERT_EQ(side.session.start(work), StartResult::Started);
    side.session.on_time(kSecond / 4);
    side.session.on_time(kSecond / 2);
    std::vector<Bytes> sent = ulpdus(side.take_output());
    if (reply == kReply) {
      EXPECT_EQ(to_hex(sent.back()), to_hex(ulpdus(question()).front()));
      sent.pop_back();
    }
    for (const Bytes& each : sent) EXPECT_GT(each.size(), 14U) << "no FPDU without payload";
  }
}

// A peer that serves Reads has to answer a Read, and its Hello comes before the answer. So no timer
// decides.
// Rules: iwarp.O19
TEST(IwarpOwnPeer, APeerWhoseHelloIsLostAgainAndAgainIsNotForeign) {
  Initiator side;
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  for (Instant now = 0; now < 60 * kSecond; now += kSecond / 4) side.session.on_time(now);
  EXPECT_EQ(side.events.log(), Log{});
  side.take_output();
  Bytes late = hello(kHello);
  for (const Bytes& each : {ack(1), answer()}) late.insert(late.end(), each.begin(), each.end());
  side.feed(late);
  EXPECT_TRUE(side.session.peer_is_own());
  EXPECT_EQ(side.events.log(), Log{"placed 1"});
  EXPECT_EQ(side.session.deadline(), kNever);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(close_frame()));
}

// Rules: iwarp.O19
TEST(IwarpOwnPeer, ASilentPeerIsAskedByAReadOfNothing) {
  Initiator side;
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  side.session.on_time(kSecond / 4);
  EXPECT_FALSE(side.session.has_output()) << "our Hello has come to it, perhaps only now";
  side.session.on_time(kSecond / 2);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(question()));
  EXPECT_EQ(side.events.log(), Log{});
  side.feed(answer());
  EXPECT_FALSE(side.session.peer_is_own());
  EXPECT_EQ(side.events.log(), Log{"placed 1"});
  EXPECT_EQ(side.session.deadline(), kNever);
  side.session.on_time(kSecond);
  EXPECT_FALSE(side.session.has_output());
}

// siw takes the length of its answer from a Send of its own, so the answer may have octets
// (docs/design/siw.md). The question named no memory for those octets. They arrive once by feed()
// and once by places().
// Rules: iwarp.O19
TEST(IwarpOwnPeer, WhatAnAnswerToTheQuestionBringsIsThrownAway) {
  for (const bool placing : {false, true}) {
    SCOPED_TRACE(placing);
    Initiator side;
    ASSERT_EQ(side.session.start(side.work), StartResult::Started);
    side.session.on_time(kSecond / 4);
    side.session.on_time(kSecond / 2);
    side.take_output();
    const Bytes before = side.data;
    for (const Bytes& each : {fpdu(tagged(Rdmap::ReadResponse, 1, 0, false), Bytes(1428)),
                              fpdu(tagged(Rdmap::ReadResponse, 1, 1428), Bytes(72))}) {
      if (placing)
        side.feed_placing(each);
      else
        side.feed(each);
    }
    EXPECT_EQ(side.events.log(), Log{"placed 1"}) << "the connection goes on";
    EXPECT_EQ(side.data, before);
    const WorkRequest read = read_of(std::span(&side.local, 1), 9, nullptr);
    ASSERT_EQ(side.session.start(read), StartResult::Started);
    side.feed(fpdu(tagged(Rdmap::ReadResponse, 1, std::uint64_t{2} << 32U), Bytes(100)));
    EXPECT_EQ(side.events.log(), (Log{"placed 1", "read done"})) << "the next Read has its answer";
  }
}

// siw may have overlooked the question as well.
// Rules: iwarp.O17
TEST(IwarpOwnPeer, APeerThatDoesNotAnswerIsSentWritesOfNothingEverMoreSeldom) {
  Initiator side;
  side.session.on_time(kSecond / 4);
  side.session.on_time(kSecond / 2);
  side.take_output();
  Instant now = kSecond / 2;
  for (const Duration wait : {kSecond / 4, kSecond / 2, kSecond, 2 * kSecond}) {
    now += wait;
    ASSERT_EQ(side.session.deadline(), now);
    side.session.on_time(now);
    EXPECT_EQ(to_hex(side.take_output()), to_hex(ack(0)));
  }
}

// Rules: iwarp.O19
TEST(IwarpOwnPeer, AReadOfTheConsumersIsAQuestion) {
  Initiator side;
  const WorkRequest read = read_of(std::span(&side.local, 1), 9, nullptr);
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  ASSERT_EQ(side.session.start(read), StartResult::Started);
  side.take_output();
  side.session.on_time(kSecond / 4);
  side.session.on_time(kSecond / 2);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(ack(0))) << "it may have been overlooked";
  side.feed(fpdu(tagged(Rdmap::ReadResponse, 1, std::uint64_t{1} << 32U), Bytes(100)));
  EXPECT_EQ(side.events.log(), (Log{"placed 1", "read done"}));
}

// Rules: iwarp.O19
TEST(IwarpOwnPeer, BothSidesGoOnBehindAQuestion) {
  Pair pair;
  pair.passive.session.expect_request(0);
  pair.active.session.connect({}, {.reads_in = 1, .reads_out = 1}, pair.active.events, 0);
  pair.passive.feed(pair.active.take_output());
  pair.passive.session.accept({}, {.reads_in = 1, .reads_out = 1}, pair.passive.events, 0);
  pair.active.feed(pair.passive.take_output());
  pair.passive.feed(pair.active.take_output());
  const Bytes late = pair.passive.take_output();
  pair.active.session.on_time(kSecond / 4);
  pair.active.session.on_time(kSecond / 2);
  pair.passive.feed(pair.active.take_output());
  pair.active.feed(late);
  ASSERT_TRUE(pair.active.session.peer_is_own());
  std::byte* memory = pair.passive.events.add_region(0x101, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest read = read_of(std::span(&local, 1), 0x101, memory);
  pair.active.events.take_log();
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started) << "behind the question";
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log{"read done"});
}

// Rules: iwarp.O19
TEST(IwarpOwnPeer, AnEndInsteadOfAnAnswerIsOrderly) {
  Initiator side;
  side.session.on_time(kSecond / 4);
  side.session.on_time(kSecond / 2);
  side.take_output();
  side.session.end_of_stream(kSecond);
  EXPECT_EQ(side.events.log(), Log{"disconnected"});
}

// An own peer that ends after its reply cannot announce its end before it has this side's Hello.
// Rules: iwarp.O20
TEST(IwarpOwnPeer, AnEndBeforeOurHelloHasComeHasPlacedNothing) {
  Initiator side;
  side.events.octets_arrived = 20; // not even the whole request
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  side.session.end_of_stream(0);
  EXPECT_EQ(side.events.log(), Log{"disconnected"});
}

// An initiator whose request only an own peer can have answered. Its own Hello is under way.
struct OwnKindsInitiator : Side {
  OwnKindsInitiator() {
    session.connect({}, {.reads_in = 16, .reads_out = 16, .for_own_kind = true}, events, 0);
    take_output();
    feed_hex(kReply);
    events.octets_arrived = 24; // the request without the Hello
    EXPECT_EQ(session.start(work), StartResult::Started);
    take_output();
    events.take_log();
  }
  Bytes data = pattern(100, 7, 1);
  LocalTriplet local = triplet(data.data(), data.size());
  WorkRequest work = send_of(std::span(&local, 1));
};

// Rules: iwarp.O21
TEST(IwarpOwnPeer, AnEndOfOneThatWasKilledBeforeOurHelloCameIsBroken) {
  OwnKindsInitiator side;
  side.session.end_of_stream(0);
  EXPECT_EQ(side.session.deadline(), kMillisecond);
  side.session.on_time(kMillisecond);
  side.session.on_time(side.session.deadline());
  EXPECT_EQ(side.events.log(), Log{});
  side.session.lost(4 * kMillisecond);
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.O21 iwarp.O20
TEST(IwarpOwnPeer, AnEndOfOneThatReadsOnIsOrderlyAndHasPlacedNothing) {
  OwnKindsInitiator side;
  side.session.end_of_stream(0);
  side.session.on_time(kMillisecond);
  side.events.octets_arrived = 44; // the request and the Hello
  side.session.on_time(3 * kMillisecond);
  EXPECT_EQ(side.events.log(), Log{"disconnected"});
}

// The initiator cannot know more: the peer may have ended in order before it read the Hello.
// Rules: iwarp.O20
TEST(IwarpOwnPeer, AnEndOfOneThatHasOurHelloAlreadyIsOrderlyAndHasPlacedNothing) {
  OwnKindsInitiator side;
  side.events.octets_arrived = 44;
  side.session.end_of_stream(0);
  EXPECT_EQ(side.events.log(), Log{"disconnected"});
}

// Rules: iwarp.O21
TEST(IwarpOwnPeer, AnEndWithinAnFpduIsNotWaitedFor) {
  OwnKindsInitiator side;
  side.feed_hex("000ec140");
  side.session.end_of_stream(0);
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.O21
TEST(IwarpOwnPeer, OursMayCloseWhileThePeersEndIsJudged) {
  OwnKindsInitiator side;
  side.session.end_of_stream(0);
  side.session.close(CloseMode::Disconnect, 0);
  side.take_output();
  EXPECT_TRUE(side.session.wants_shutdown());
  side.session.shut_down();
  EXPECT_TRUE(side.session.finished());
  EXPECT_EQ(side.events.log(), Log{});
}

// The question is a Read of the session. It does not count among the consumer's Reads.
// Rules: iwarp.O19
TEST(IwarpOwnPeer, ATerminateNamesTheConsumersReadBehindTheQuestion) {
  Initiator side;
  side.session.on_time(kSecond / 4);
  side.session.on_time(kSecond / 2);
  side.take_output();
  const WorkRequest read = read_of(std::span(&side.local, 1), 9, nullptr);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(side.session.start(read), StartResult::Started);
  side.take_output();
  const ReadRequest third{.sink_stag = 1, .sink_offset = std::uint64_t{3} << 32U, .size = 100};
  const Terminate refused = make_terminate(protection_error(AccessFault::BadStag), 3, third);
  std::byte words[Terminate::kMostOctets];
  const std::size_t size = encode(refused, words);
  side.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), Octets(words).first(size)));
  EXPECT_EQ(side.events.log(), (Log{"read failed: status 6 behind 1", "broken"}));
}

// Rules: iwarp.O16
TEST(IwarpOwnPeer, APeerFarAwayIsWaitedForLonger) {
  Side side;
  side.session.set_round_trip(3 * kSecond);
  side.session.connect({}, {.reads_in = 16, .reads_out = 16}, side.events, 0);
  side.take_output();
  side.feed_hex(kReply);
  side.take_output();
  EXPECT_EQ(side.session.deadline(), 6 * kSecond + kSecond / 4);
}

// The request has 24 octets, the FPDU with the Hello 20.
// Rules: iwarp.O16
TEST(IwarpOwnPeer, APeerThatOurHelloHasNotComeToIsNotSilent) {
  Initiator side;
  ASSERT_EQ(side.session.start(side.work), StartResult::Started);
  side.take_output();
  side.events.octets_arrived = 43;
  Instant now = 0;
  for (int i = 0; i < 100; ++i) {
    now += kSecond / 4;
    ASSERT_EQ(side.session.deadline(), now);
    side.session.on_time(now);
  }
  EXPECT_EQ(side.events.log(), Log{});
  side.events.octets_arrived = 44;
  side.session.on_time(now += kSecond / 4);
  EXPECT_EQ(side.events.log(), Log{}) << "its answer is on its way";
  EXPECT_FALSE(side.session.has_output());
  side.session.on_time(now += kSecond / 4);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(question()));
}

// Rules: iwarp.O14
TEST(IwarpOwnPeer, CloseBeforeThePeerIsKnownIsAnnounced) {
  Initiator side;
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(close_frame()));
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.O15
TEST(IwarpOwnPeer, CloseInTheMiddleOfAMessage) {
  constexpr std::size_t kLarge = 400000;
  Bytes data = pattern(kLarge, 3, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  for (const bool response : {false, true}) {
    Pair pair;
    pair.connect();
    std::byte* memory = pair.passive.events.add_region(0x101, kLarge, kRemoteRead | kRemoteWrite);
    const WorkRequest work = response ? read_of(std::span(&local, 1), 0x101, memory)
                                      : write_of(std::span(&local, 1), 0x101, memory);
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
    Side& from = response ? pair.passive : pair.active;
    Side& to = response ? pair.active : pair.passive;
    if (response) from.feed(to.take_output());
    to.feed(from.take_output(100000));
    from.session.close(CloseMode::Disconnect, 0);
    to.feed(from.take_output());
    EXPECT_EQ(to.events.log(), Log{"disconnected"}) << response;
  }
}

// Rules: iwarp.O10
TEST(IwarpOwnPeer, AnnouncedCloseIsAnOrderlyEnd) {
  for (const bool active : {false, true}) {
    Pair pair;
    pair.connect();
    Side& from = active ? pair.active : pair.passive;
    Side& to = active ? pair.passive : pair.active;
    from.session.close(CloseMode::Disconnect, 0);
    to.feed(from.take_output());
    EXPECT_EQ(to.events.log(), Log{"disconnected"});
    EXPECT_EQ(from.events.log(), Log{}) << "after close() nothing is told";
    EXPECT_TRUE(from.session.wants_shutdown());
    EXPECT_TRUE(to.session.wants_shutdown());
    from.session.shut_down();
    to.session.end_of_stream(0);
    to.session.shut_down();
    from.session.end_of_stream(0);
    EXPECT_TRUE(from.session.finished());
    EXPECT_TRUE(to.session.finished());
    EXPECT_FALSE(from.session.must_reset() || to.session.must_reset());
    EXPECT_EQ(to.events.log(), Log{"disconnected"});
  }
}

// Rules: iwarp.O11
TEST(IwarpOwnPeer, EndWithoutAnAnnouncementIsABreak) {
  Pair pair;
  pair.connect();
  pair.active.session.end_of_stream(0);
  EXPECT_EQ(pair.active.events.log(), Log{"broken"});
}

// Rules: iwarp.O12
TEST(IwarpOwnPeer, AbortIsABreak) {
  Pair pair;
  pair.connect();
  pair.active.session.close(CloseMode::Abort, 0);
  pair.passive.feed(pair.active.take_output());
  EXPECT_EQ(pair.passive.events.log(), Log{"broken"});
}

// Rules: iwarp.O13
TEST(IwarpOwnPeer, ARemoteErrorReachesTheRequestThatCausedIt) {
  Pair pair;
  pair.connect();
  std::byte* good = pair.passive.events.add_region(0x101, 64, kRemoteWrite);
  const Bytes data = pattern(8, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest fine = write_of(std::span(&local, 1), 0x101, good);
  const WorkRequest bad = write_of(std::span(&local, 1), 0x101, good + 60);
  for (const WorkRequest* each : {&fine, &fine, &bad, &fine})
    ASSERT_EQ(pair.active.session.start(*each), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(),
            (Log{"placed 2", "request failed: status 6 behind 0", "broken"}));
  EXPECT_EQ(pair.passive.events.log(), Log{"broken"});
}

// Rules: iwarp.O13
TEST(IwarpOwnPeer, AReadThatIsRefusedNamesItself) {
  Pair pair;
  pair.connect();
  std::byte* good = pair.passive.events.add_region(0x101, 64, kRemoteRead);
  Bytes data(8);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest fine = read_of(std::span(&local, 1), 0x101, good);
  const WorkRequest bad = read_of(std::span(&local, 1), 0x102, good);
  for (const WorkRequest* each : {&fine, &fine, &bad})
    ASSERT_EQ(pair.active.session.start(*each), StartResult::Started);
  // The peer refuses the third Read as it arrives, and still answers the first two.
  pair.pump();
  EXPECT_EQ(pair.active.events.log(),
            (Log{"read done", "read done", "read failed: status 6 behind 0", "broken"}));
}

// Rules: iwarp.O13
TEST(IwarpOwnPeer, ASendThatFindsNoReceiveOrTooShortAOne) {
  for (const bool no_receive : {false, true}) {
    PairOptions options;
    options.passive.receive_timeout = 0;
    Pair pair(options);
    pair.connect();
    const Bytes data = pattern(8, 1, 1);
    const LocalTriplet local = triplet(data.data(), data.size());
    const WorkRequest work = send_of(std::span(&local, 1));
    pair.passive.events.post_receive(8);
    if (!no_receive) pair.passive.events.post_receive(7);
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
    pair.pump();
    EXPECT_EQ(pair.active.events.log(), (Log{"placed 1",
                                             no_receive ? "request failed: status 9 behind 0"
                                                        : "request failed: status 7 behind 0",
                                             "broken"}));
  }
}

} // namespace
} // namespace datum::iwarp::test
