// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ends of connections with own peers, or with peers that may be: announced or not, orderly or
// broken, and the request that an error of the peer names.
#include <gtest/gtest.h>

#include "own_peer_sides.h"

namespace datum::iwarp::test::own_peer {
namespace {

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
} // namespace datum::iwarp::test::own_peer
