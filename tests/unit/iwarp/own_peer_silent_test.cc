// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A peer of unknown kind that says nothing: how long it is waited for, how it is asked, and when it
// counts as foreign.
#include <gtest/gtest.h>

#include "own_peer_sides.h"

namespace datum::iwarp::test::own_peer {
namespace {

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

} // namespace
} // namespace datum::iwarp::test::own_peer
