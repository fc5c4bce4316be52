// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How a session ends a connection: orderly or not, in the middle of a message, by either side; its
// last messages and their time. Beside it: Reads that are answered before the end
// (ending_reads_test.cc), memory that goes (ending_memory_test.cc), FPDUs that stop
// (ending_stalled_test.cc).
#include <gtest/gtest.h>

#include <algorithm>

#include "ending_sides.h"

namespace datum::iwarp::test::ending {
namespace {

// Rules: iwarp.E1
TEST(IwarpEnding, EndOfAForeignStreamBetweenMessagesIsOrderly) {
  Foreign side;
  side.session.end_of_stream(0);
  EXPECT_EQ(side.events.log(), Log{"disconnected"});
  EXPECT_TRUE(side.session.wants_shutdown());
  side.session.shut_down();
  EXPECT_TRUE(side.session.finished());
  EXPECT_FALSE(side.session.must_reset());
}

// Rules: iwarp.E2
TEST(IwarpEnding, EndAtEveryOctetOfAConversation) {
  Bytes conversation;
  std::vector<std::size_t> boundaries{0}; // offsets between two messages
  const auto say = [&](const Bytes& octets, bool ends) {
    conversation.insert(conversation.end(), octets.begin(), octets.end());
    if (ends) boundaries.push_back(conversation.size());
  };
  say(fpdu(untagged(Rdmap::Send, 0, 1), Bytes(5)), true);
  say(fpdu(untagged(Rdmap::Send, 0, 2, 0, false), Bytes(8)), false);
  say(fpdu(untagged(Rdmap::Send, 0, 2, 8), Bytes(8)), true);
  say(fpdu(tagged(Rdmap::Write, 0, 0)), true);
  say(fpdu(tagged(Rdmap::Write, 0, 0, false)), false);
  say(fpdu(tagged(Rdmap::Write, 0, 0)), true);
  for (std::size_t end = 0; end <= conversation.size(); ++end) {
    Foreign side;
    side.events.post_receive(64);
    side.feed(Octets(conversation).first(end));
    side.events.take_log();
    side.session.end_of_stream(0);
    const bool orderly = std::find(boundaries.begin(), boundaries.end(), end) != boundaries.end();
    EXPECT_EQ(side.events.log(), Log{orderly ? "disconnected" : "broken"}) << end;
  }
}

// Rules: iwarp.E3
TEST(IwarpEnding, EndWithAReadOutstandingIsABreak) {
  Foreign side;
  Message message(8);
  const WorkRequest read = read_of(std::span(&message.local, 1), 9, nullptr);
  ASSERT_EQ(side.session.start(read), StartResult::Started);
  side.take_output();
  side.session.end_of_stream(0);
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.E4
TEST(IwarpEnding, ResetIsABreak) {
  Foreign side;
  side.session.lost(0);
  EXPECT_EQ(side.events.log(), Log{"broken"});
  EXPECT_TRUE(side.session.finished());
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.E4
TEST(IwarpEnding, ResetAfterOurOwnCloseIsNothing) {
  Foreign side;
  side.session.close(CloseMode::Disconnect, 0);
  side.session.lost(0);
  EXPECT_EQ(side.events.log(), Log{});
  EXPECT_TRUE(side.session.finished());
}

// Rules: iwarp.E5
TEST(IwarpEnding, CloseTowardsAForeignPeerSaysNothingAndWaitsForItsEnd) {
  Foreign side;
  side.now = 50;
  side.session.close(CloseMode::Disconnect, 50);
  EXPECT_FALSE(side.session.has_output());
  ASSERT_TRUE(side.session.wants_shutdown());
  side.session.shut_down();
  EXPECT_FALSE(side.session.finished());
  // The session discards what still arrives.
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1), Bytes(5)));
  EXPECT_EQ(side.held_back(), 0U);
  EXPECT_EQ(side.events.log(), Log{});
  EXPECT_EQ(side.session.deadline(), 50 + 5 * kSecond);
  side.session.end_of_stream(60);
  EXPECT_TRUE(side.session.finished());
  EXPECT_FALSE(side.session.must_reset());
}

// Rules: iwarp.E6
TEST(IwarpEnding, PeerThatDoesNotEndItsStreamIsLeftBehind) {
  Foreign side;
  side.session.close(CloseMode::Disconnect, 0);
  side.session.shut_down();
  side.session.on_time(5 * kSecond);
  EXPECT_TRUE(side.session.finished());
  EXPECT_TRUE(side.session.must_reset());
}

// TCP may need longer for the last octets. It goes on sending them after the session has finished.
// Rules: iwarp.E19
TEST(IwarpEnding, LastWordsThatAreStillOnTheirWayAreNotTakenBack) {
  Foreign side;
  side.events.all_arrived = false;
  side.session.close(CloseMode::Disconnect, 0);
  side.session.shut_down();
  side.session.on_time(5 * kSecond);
  EXPECT_TRUE(side.session.finished());
  EXPECT_FALSE(side.session.must_reset());
}

// A side that has closed while the peer's TCP does not have all octets yet.
struct HeldUp : Foreign {
  HeldUp() {
    events.all_arrived = false;
    session.close(CloseMode::Disconnect, 0);
  }
  // Calls on_time() at each deadline up to `end`, and returns the number of calls.
  int look_until(Instant end) {
    int looks = 0;
    while (session.deadline() <= end && !session.wants_shutdown()) {
      session.on_time(session.deadline());
      ++looks;
    }
    return looks;
  }
};

// Rules: iwarp.E20
TEST(IwarpEnding, EndTowardsAForeignPeerComesBehindWhatItsTcpHas) {
  HeldUp side;
  EXPECT_FALSE(side.session.wants_shutdown());
  EXPECT_EQ(side.session.deadline(), kMillisecond);
  EXPECT_GT(side.look_until(kSecond), 10);
  EXPECT_FALSE(side.session.wants_shutdown());
  side.events.all_arrived = true;
  EXPECT_TRUE(side.session.wants_shutdown());
  side.session.shut_down();
  EXPECT_EQ(side.session.deadline(), 5 * kSecond);
}

// Rules: iwarp.E20
TEST(IwarpEnding, EndTowardsAForeignPeerWaitsHalfTheBoundedTimeAtMost) {
  HeldUp side;
  EXPECT_LT(side.look_until(5 * kSecond), 100);
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.finished());
}

// Rules: iwarp.E20
TEST(IwarpEnding, EndTowardsAForeignPeerWaitsForNothingWhereThatHasEnded) {
  HeldUp side;
  side.session.end_of_stream(1);
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E20
TEST(IwarpEnding, EndTowardsAForeignPeerDoesNotWaitWhereNobodyComesBack) {
  HeldUp side;
  side.session.expect_nothing();
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E20
TEST(IwarpEnding, APeerThatIsLostIsNotLookedAfter) {
  HeldUp side;
  side.session.lost(1);
  EXPECT_EQ(side.session.deadline(), kNever);
}

// Rules: iwarp.E18
TEST(IwarpEnding, AConnectThatIsGivenUpIsNoReset) {
  for (const CloseMode mode : {CloseMode::Disconnect, CloseMode::Abort}) {
    Side side;
    side.session.connect({}, {.reads_in = 16, .reads_out = 16}, side.events, 0);
    side.take_output();
    side.session.close(mode, 0);
    EXPECT_TRUE(side.session.finished());
    EXPECT_FALSE(side.session.must_reset());
    EXPECT_EQ(side.events.log(), Log{});
  }
}

// Rules: iwarp.E7
TEST(IwarpEnding, WhatTcpHasAPartOfIsFinishedFromACopy) {
  for (std::size_t part = 1; part < 1444; part += 13) {
    Foreign side;
    Message message(14 * kLargest); // more than is copied at once
    ASSERT_EQ(side.session.start(message.work), StartResult::Started);
    Bytes sent = side.take_output(part);
    ASSERT_EQ(sent.size(), part);
    const Bytes whole =
        fpdu(untagged(Rdmap::Send, 0, 1, 0, false), Octets(message.data).first(kLargest));
    side.session.close(CloseMode::Disconnect, 0);
    // The consumer may change its memory again.
    std::fill(message.data.begin(), message.data.end(), std::byte{0});
    EXPECT_FALSE(side.session.wants_shutdown());
    const Bytes rest = side.take_output();
    sent.insert(sent.end(), rest.begin(), rest.end());
    EXPECT_EQ(to_hex(sent), to_hex(whole)) << part;
    EXPECT_TRUE(side.session.wants_shutdown());
  }
}

// Rules: iwarp.E8
TEST(IwarpEnding, WhatNeedsNobodysMemoryStillLeavesBeforeTheClose) {
  Foreign side;
  Message message(8);
  ASSERT_EQ(side.session.start_now(message.work), StartResult::Started);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_EQ(to_hex(side.take_output()), to_hex(fpdu(untagged(Rdmap::Send, 0, 1), message.data)));
}

// Posts the Write `one`, which is copied, again and again until the session has no room. Returns
// the number of Writes posted.
std::size_t fill_with_writes(Session& session, const WorkRequest& one) {
  std::size_t count = 0;
  while (session.start_now(one) == StartResult::Started) ++count;
  return count;
}

// Rules: iwarp.E22
TEST(IwarpEnding, AsManyFpdusAsMayWaitLeaveRoomForTheLastWords) {
  Pair pair;
  pair.connect();
  Message octet(1);
  std::byte* there = pair.passive.events.add_region(0x601, 1, kRemoteWrite);
  std::byte* here = pair.active.events.add_region(0x602, 1, kRemoteWrite);
  const std::size_t count =
      fill_with_writes(pair.active.session, write_of(std::span(&octet.local, 1), 0x601, there));
  EXPECT_GT(count, 1000U);
  // The active side owes an acknowledgement as well. It sends that before the Close.
  ASSERT_EQ(pair.passive.session.start_now(write_of(std::span(&octet.local, 1), 0x602, here)),
            StartResult::Started);
  pair.active.feed(pair.passive.take_output());
  pair.active.session.close(CloseMode::Disconnect, 0);
  EXPECT_FALSE(pair.active.session.must_reset());
  const Bytes stream = pair.active.take_output();
  const std::vector<Bytes> frames = ulpdus(stream);
  ASSERT_EQ(frames.size(), count + 2);
  EXPECT_EQ(to_hex(frames[count]), "c140"
                                   "00000002"
                                   "0000000100000000");
  EXPECT_EQ(to_hex(frames[count + 1]), "c140"
                                       "00000003"
                                       "0000000000000000");
  EXPECT_TRUE(pair.active.session.wants_shutdown());
  pair.passive.feed(stream);
  EXPECT_EQ(pair.passive.events.log(), (Log{"placed 1", "disconnected"}));
}

// Rules: iwarp.E22
TEST(IwarpEnding, AsManyFpdusAsMayWaitLeaveRoomForATerminate) {
  Foreign side;
  Message octet(1);
  const std::size_t count =
      fill_with_writes(side.session, write_of(std::span(&octet.local, 1), 9, nullptr));
  side.session.close(CloseMode::Abort, 0);
  EXPECT_FALSE(side.session.must_reset());
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), count + 1);
  EXPECT_EQ(to_hex(Octets(frames.back()).first(2)), "4147");
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E9
TEST(IwarpEnding, TerminateStandsBehindWhatHasBegunAndBeforeNothing) {
  for (const std::size_t part : {std::size_t{0}, std::size_t{10}, std::size_t{1444}}) {
    Foreign side;
    Message message(14 * kLargest); // more than is copied at once
    ASSERT_EQ(side.session.start(message.work), StartResult::Started);
    Bytes sent = side.take_output(part);
    side.feed(fpdu(untagged(Rdmap::Send, 7, 1), Bytes(4)));
    const Bytes rest = side.take_output();
    sent.insert(sent.end(), rest.begin(), rest.end());
    const std::vector<Bytes> frames = ulpdus(sent);
    ASSERT_EQ(frames.size(), part == 0 ? 1U : 2U);
    EXPECT_EQ(to_hex(Octets(frames.back()).subspan(0, 2)), "4147");
    EXPECT_EQ(sent.size(), fpdu_size(frames.back().size()) +
                               (frames.size() == 2 ? fpdu_size(frames[0].size()) : 0));
    EXPECT_EQ(side.events.log(), Log{"broken"});
  }
}

// Rules: iwarp.E10
TEST(IwarpEnding, TerminateNamesTheRequestThatFailed) {
  struct Setting {
    const char* payload; // of a Terminate for the Send of MSN 2, the Write or the second Read
    const char* told;
  };
  for (const Setting& setting : {
           Setting{"1202c00000164143000000000000000000000002"
                   "00000000",
                   "request failed: status 9 behind 1"},
           Setting{"1205c00000164143000000000000000000000002"
                   "00000000",
                   "request failed: status 7 behind 1"},
           Setting{"1101c0000012c14000000009"
                   "0000000000001004",
                   "request failed: status 6 behind 2"},
           Setting{"0101c000002e4141000000000000000100000002"
                   "00000000",
                   "read failed: status 6 behind 1"},
           // As siw writes the Terminate: in siw's bit order, and with the Read's size as the MSN.
           Setting{"1000070000004141000000000000000100000008"
                   "00000000000000010000000200000000"
                   "00000008000000090000000000001000",
                   "read failed: status 6 behind 1"},
           // As Datum writes the Terminate after it has sent 4 octets of the answer.
           Setting{"0100e000002e4141000000000000000100000002"
                   "00000000000000010000000200000004"
                   "00000004000000090000000000001004",
                   "read failed: status 6 behind 1"},
           Setting{"00000000", "read failed: status 7 behind 0"},
           Setting{"02070000", "read failed: status 7 behind 0"},
       }) {
    // The own peer has acknowledged nothing, so no request has ended.
    Side side;
    side.session.connect({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
    side.take_output();
    side.feed_hex("4d504120494420526570204672616d655002000480048004");
    side.take_output();
    side.feed(fpdu(tagged(Rdmap::Write, 1, 0x44545750100103e8)));
    ASSERT_TRUE(side.session.peer_is_own());
    side.events.take_log();
    Message message(8);
    WorkRequest write = write_of(std::span(&message.local, 1), 9, nullptr);
    write.remote.address = 0x1000;
    const WorkRequest read = read_of(std::span(&message.local, 1), 9, nullptr);
    const WorkRequest* requests[] = {&message.work, &message.work, &write, &read, &read};
    for (const WorkRequest* each : requests)
      ASSERT_EQ(side.session.start(*each), StartResult::Started);
    side.take_output();
    side.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex(setting.payload)));
    EXPECT_EQ(side.events.log(), (Log{setting.told, "broken"}));
    EXPECT_FALSE(side.session.has_output()) << "a Terminate is not answered";
    EXPECT_TRUE(side.session.wants_shutdown());
  }
}

// Rules: iwarp.E11
TEST(IwarpEnding, TerminateForARequestThatHasEndedNamesNone) {
  Foreign side;
  Message message(8);
  ASSERT_EQ(side.session.start(message.work), StartResult::Started);
  side.take_output();
  EXPECT_EQ(side.events.take_log(), Log{"placed 1"});
  side.feed(
      fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("1202c00000164143000000000000000000000001"
                                                      "00000000")));
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.E12
TEST(IwarpEnding, CloseFromWithinAnyEventStopsAtOnce) {
  Target target;
  target.events.post_receive(64);
  target.events.close_when_told = true;
  Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1), Bytes(4));
  const Bytes more = fpdu(untagged(Rdmap::Send, 0, 2), Bytes(4));
  octets.insert(octets.end(), more.begin(), more.end());
  target.feed(octets);
  EXPECT_EQ(target.events.log(), Log{"received 4"});
  EXPECT_TRUE(target.session.wants_shutdown());
}

} // namespace
} // namespace datum::iwarp::test::ending
