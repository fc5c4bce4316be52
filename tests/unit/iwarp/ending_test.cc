// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How a session ends a connection: orderly or not, in the middle of a message, by either side.
#include <gtest/gtest.h>

#include <algorithm>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

constexpr std::size_t kLargest = 1442 - 18; // most payload in an FPDU of a Send

struct Message {
  explicit Message(std::size_t size)
      : data(pattern(size, 7, 1)), local(triplet(data.data(), size)) {
    work = send_of(std::span(&local, 1));
  }
  Bytes data;
  LocalTriplet local;
  WorkRequest work;
};

// A responder whose foreign peer has sent its first FPDU. TCP's segments have 1448 octets.
struct Foreign : Target {
  explicit Foreign(const SessionSettings& settings = {.extensions = true}) : Target(settings) {
    feed(fpdu(tagged(Rdmap::Write, 1, 0)));
    session.set_segment_size(1448);
  }
};

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

// Rules: iwarp.E7
TEST(IwarpEnding, MemoryThatHasGoneIsNotReadForTheRest) {
  Foreign side;
  Message message(20000); // more than is copied at once
  ASSERT_EQ(side.session.start(message.work), StartResult::Started);
  side.take_output(500);
  side.events.local_memory_valid = false;
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.finished());
  EXPECT_TRUE(side.session.must_reset());
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

// A responder that closes while Reads of its foreign peer wait for their answers.
struct Owing : Foreign {
  static constexpr Stag kSource = 0x55;
  explicit Owing(std::size_t size = 40, const SessionSettings& settings = {.extensions = true})
      : Foreign(settings), size_(size) {
    memory = events.add_region(kSource, size, kRemoteRead | kRemoteAtomic);
    const Bytes content = pattern(size, 3, 5);
    std::copy(content.begin(), content.end(), memory);
    base = reinterpret_cast<std::uint64_t>(memory);
  }
  // The peer reads the whole region. Its Read Requests have the MSNs 1, 2, ...
  void ask() {
    feed(fpdu(untagged(Rdmap::ReadRequest, 1, ++asked_),
              octets_of(ReadRequest{.sink_stag = 3,
                                    .sink_offset = 100,
                                    .size = static_cast<std::uint32_t>(size_),
                                    .source_stag = kSource,
                                    .source_offset = base})));
  }
  // Closes, and then overwrites the region, since the program has its memory back.
  void close(CloseMode mode = CloseMode::Disconnect) {
    session.close(mode, 0);
    std::fill(memory, memory + size_, std::byte{0});
  }
  // The answer to one ask(), if it fits into one FPDU.
  Bytes answer() const { return fpdu(tagged(Rdmap::ReadResponse, 3, 100), pattern(size_, 3, 5)); }

  std::byte* memory;
  std::uint64_t base;

 private:
  std::size_t size_;
  std::uint32_t asked_ = 0;
};

// The payload of a stream of Read Responses.
Bytes responses(const Bytes& stream) {
  Bytes payload;
  for (const Bytes& each : ulpdus(stream)) {
    EXPECT_EQ(to_hex(Octets(each).subspan(1, 1)), "42");
    payload.insert(payload.end(), each.begin() + 14, each.end());
  }
  return payload;
}

// Rules: iwarp.E21
TEST(IwarpEnding, ReadsThatWereAcceptedAreAnsweredBeforeTheEnd) {
  Owing side;
  side.ask();
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.wants_shutdown());
  const Bytes one = side.answer();
  EXPECT_EQ(to_hex(side.take_output()), to_hex(one) + to_hex(one));
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_EQ(side.events.log(), Log{});
}

// Rules: iwarp.E21
TEST(IwarpEnding, AnAbortAnswersNothing) {
  Owing side;
  side.ask();
  side.close(CloseMode::Abort);
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(to_hex(Octets(frames[0]).subspan(0, 2)), "4147");
}

// Rules: iwarp.E21
TEST(IwarpEnding, APeerOfOursHasItsAnswersBeforeTheClose) {
  constexpr std::size_t kSize = 100'000; // in several FPDUs
  for (const bool crc : {true, false}) {
    PairOptions options;
    options.active.crc = options.passive.crc = crc;
    Pair pair(options);
    pair.connect();
    std::byte* source = pair.passive.events.add_region(0x501, kSize, kRemoteRead);
    const Bytes content = pattern(kSize, 3, 5);
    std::copy(content.begin(), content.end(), source);
    Message into(kSize);
    const WorkRequest read = read_of(std::span(&into.local, 1), 0x501, source);
    ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
    pair.passive.feed(pair.active.take_output());
    pair.passive.session.close(CloseMode::Disconnect, 0);
    std::fill(source, source + kSize, std::byte{0});
    pair.pump();
    EXPECT_EQ(pair.active.events.log(), (Log{"read done", "disconnected"}));
    EXPECT_TRUE(into.data == content);
  }
}

// Rules: iwarp.E21 iwarp.T7
TEST(IwarpEnding, AnswersToAPeerThatWantsMarkersAreWhole) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d65c0010000"); // markers and a CRC
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  side.session.set_segment_size(1448);
  side.events.take_log();
  std::byte* source = side.events.add_region(0x55, 3000, kRemoteRead);
  const ReadRequest request{
      .size = 3000, .source_stag = 0x55, .source_offset = reinterpret_cast<std::uint64_t>(source)};
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1), octets_of(request)));
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_GT(side.take_output().size(), 3000U + 3 * 20);
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E21
TEST(IwarpEnding, AnAnswerThatHasBegunIsFinishedWhereThereIsRoom) {
  Owing side(20'000);
  side.ask();
  Bytes sent = side.take_output(5000);
  ASSERT_EQ(sent.size(), 5000U);
  side.close();
  const Bytes rest = side.take_output();
  sent.insert(sent.end(), rest.begin(), rest.end());
  EXPECT_TRUE(responses(sent) == pattern(20'000, 3, 5));
}

// Rules: iwarp.E21
TEST(IwarpEnding, WhatThereIsNoRoomForIsNotAnsweredInPart) {
  Owing side(400'000);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// The payload of the second answer alone would fit. With the headers and trailers of its FPDUs it
// does not.
// Rules: iwarp.E21
TEST(IwarpEnding, AnAnswerThatHasRoomButForItsHeadersIsNotBegun) {
  Owing fits(160'000);
  fits.ask();
  fits.close();
  EXPECT_TRUE(responses(fits.take_output()) == pattern(160'000, 3, 5));
  EXPECT_TRUE(fits.session.wants_shutdown());
  Owing side(162'000);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// The answer needs as many FPDUs as the list has free. The FPDUs that end the connection in order
// have places of their own.
// Rules: iwarp.E21
TEST(IwarpEnding, AnswersLeaveRoomForTheLastWords) {
  constexpr std::size_t kPayload = 114; // octets in an FPDU
  constexpr std::size_t kMost = 1024 - 3;
  Owing side(kMost * kPayload);
  side.session.set_segment_size(100);
  side.ask();
  side.close();
  const Bytes output = side.take_output();
  EXPECT_EQ(ulpdus(output).size(), kMost);
  EXPECT_TRUE(responses(output) == pattern(kMost * kPayload, 3, 5));
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// Rules: iwarp.E21
TEST(IwarpEnding, AnAnswerOfMoreFpdusThanTheListHoldsIsNotBegun) {
  Owing side(150'000);
  side.session.set_segment_size(100);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// The session builds no FPDU while `most_unsent` octets wait for TCP.
// Rules: iwarp.E21 iwarp.T22
TEST(IwarpEnding, AnAnswerOfMoreThanMayWaitForTcpIsNotBegun) {
  constexpr std::size_t kPayload = 1428; // octets in an FPDU
  SessionSettings settings{.extensions = true};
  settings.most_unsent = 4096;
  Owing fits(3 * kPayload, settings);
  fits.ask();
  fits.close();
  EXPECT_TRUE(responses(fits.take_output()) == pattern(3 * kPayload, 3, 5));
  Owing side(4 * kPayload, settings);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E21
TEST(IwarpEnding, ReadsBehindAMessageWithoutARecvAreNotAnswered) {
  Owing side;
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1), Bytes(4))); // takes the Recv
  side.feed(fpdu(untagged(Rdmap::Send, 0, 2), Bytes(4)));
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.E21
TEST(IwarpEnding, OfAReadThatMayNotBeAnsweredAnyMoreNobodyHears) {
  Owing side;
  side.ask();
  side.events.revoke(Owing::kSource);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
  EXPECT_EQ(side.events.log(), Log{});
}

// The answer would be dropped together with the Send in front of it.
// Rules: iwarp.E21
TEST(IwarpEnding, AnAtomicThatCannotBeAnsweredIsNotCarriedOut) {
  Target side;
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  side.session.set_segment_size(1448);
  alignas(8) std::uint64_t counter = 7;
  side.events.add_region_at(0x66, reinterpret_cast<std::uint64_t>(&counter), 8, kRemoteAtomic);
  const auto ask = [&](std::uint32_t msn) {
    const AtomicRequest request{
        .stag = 0x66, .offset = reinterpret_cast<std::uint64_t>(&counter), .data = 1};
    side.feed(fpdu(untagged(Rdmap::AtomicRequest, 1, msn), octets_of(request)));
  };
  Message gathered(14 * kLargest); // sent from the program's memory, not from a copy
  ASSERT_EQ(side.session.start(gathered.work), StartResult::Started);
  ask(1);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_EQ(counter, 7U);
  EXPECT_FALSE(side.session.has_output());
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

// Rules: iwarp.E13
TEST(IwarpEnding, RegionThatGoesWhileItIsRead) {
  Foreign side;
  constexpr std::uint32_t kSize = 280 * (1442 - 14); // full FPDUs only: a short one would go first
  std::byte* memory = side.events.add_region(0x55, kSize, kRemoteRead);
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1),
                 octets_of(ReadRequest{.sink_stag = 3,
                                       .sink_offset = 100,
                                       .size = kSize,
                                       .source_stag = 0x55,
                                       .source_offset = reinterpret_cast<std::uint64_t>(memory)})));
  std::array<Octets, 4> pieces;
  const std::size_t count = side.session.output(pieces, 0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) first += pieces[i].size();
  side.session.sent(first, 0);
  EXPECT_LT(first, kSize);
  side.events.revoke(0x55);
  EXPECT_EQ(side.terminate_code(), "0/1/00");
  const Terminate& terminate = side.terminate();
  ASSERT_TRUE(terminate.has_request);
  // The Terminate names the part of the Read that is not answered. The session has sent everything
  // before that part.
  const std::size_t done = kSize - terminate.request.size;
  EXPECT_EQ(terminate.request.sink_offset, 100 + done);
  EXPECT_EQ(terminate.request.source_offset, reinterpret_cast<std::uint64_t>(memory) + done);
  EXPECT_EQ(done % (1442 - 14), 0U) << "whole FPDUs";
  EXPECT_GE(done * 1450 / 1428, first);
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.E13
TEST(IwarpEnding, RegionThatGoesWhileTcpHasAPartOfIt) {
  SessionSettings settings;
  settings.crc = false;
  Side side(settings);
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d6500010000");
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.events.take_log();
  side.session.set_segment_size(65483);
  std::byte* memory = side.events.add_region(0x55, 40000, kRemoteRead);
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1),
                 octets_of(ReadRequest{.size = 40000,
                                       .source_stag = 0x55,
                                       .source_offset = reinterpret_cast<std::uint64_t>(memory)}),
                 false));
  EXPECT_EQ(side.take_output(1000).size(), 1000U);
  side.events.revoke(0x55);
  EXPECT_EQ(side.take_output().size(), 0U) << "not an octet of it is read any more";
  EXPECT_EQ(side.events.log(), Log{"broken"});
  EXPECT_TRUE(side.session.must_reset());
}

// Rules: iwarp.E16
TEST(IwarpEnding, RegionThatGoesWhileItIsWritten) {
  const Bytes data(200, std::byte{0x77});
  for (const std::size_t at : {std::size_t{20}, std::size_t{100}, std::size_t{216}}) {
    Foreign side;
    std::byte* memory = side.events.add_region(0x55, 200, kRemoteWrite);
    const Bytes octets =
        fpdu(tagged(Rdmap::Write, 0x55, reinterpret_cast<std::uint64_t>(memory)), data);
    side.feed(Octets(octets).first(at));
    side.events.revoke(0x55);
    const Bytes before(memory, memory + 200);
    side.feed(Octets(octets).subspan(at));
    EXPECT_TRUE(std::equal(before.begin(), before.end(), memory)) << at;
    EXPECT_EQ(side.terminate_code(), "1/1/00");
    EXPECT_EQ(side.events.log(), Log{"broken"});
  }
}

// Calls on_time() at each deadline up to `until`, as a timer would.
void let_pass(Side& side, Instant until) {
  while (side.session.deadline() <= until) {
    side.now = side.session.deadline();
    side.session.on_time(side.now);
  }
  side.now = until;
}

// Rules: iwarp.E17
TEST(IwarpEnding, AnFpduThatDoesNotGoOnBreaksTheConnectionAtEveryOctet) {
  const Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1), Bytes(40));
  ASSERT_EQ(octets.size(), 64U);
  for (std::size_t at = 1; at < octets.size(); ++at) {
    Foreign side;
    side.events.post_receive(64);
    side.feed(Octets(octets).first(at));
    let_pass(side, 30 * kSecond - 1);
    EXPECT_EQ(side.events.log(), Log{}) << at;
    let_pass(side, 38 * kSecond);
    EXPECT_EQ(side.events.log(), Log{"broken"}) << at;
    EXPECT_EQ(side.terminate_code(), "2/0/01");
  }
}

// Rules: iwarp.E17
TEST(IwarpEnding, AnFpduMayGoOnAsSlowlyAsItLikes) {
  const Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1), Bytes(40));
  Foreign side;
  side.events.post_receive(64);
  for (std::size_t at = 0; at < octets.size(); ++at) {
    side.feed(Octets(octets).subspan(at, 1));
    let_pass(side, side.now + 29 * kSecond);
  }
  EXPECT_EQ(side.events.log(), Log{"received 40"});
  let_pass(side, side.now + 100 * kSecond);
  EXPECT_EQ(side.events.log(), Log{"received 40"}) << "between FPDUs there is no limit";
  EXPECT_EQ(side.session.deadline(), kNever);
}

// The session takes the next FPDU for the rest of the payload, which is still too short.
// Rules: iwarp.E17
TEST(IwarpEnding, AnFpduWhoseLengthHasGrownOnTheWayBreaksTheConnection) {
  Foreign side;
  Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1, 0, false), Bytes(1));
  octets[1] ^= std::byte{0x20};
  side.feed(octets);
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1, 1), Bytes(1)));
  EXPECT_EQ(side.events.log(), Log{});
  let_pass(side, 38 * kSecond);
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.E17
TEST(IwarpEnding, AProcessThatWasStoppedReadsWhatHasComeBeforeItGivesUp) {
  const Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1), Bytes(40));
  Foreign side;
  side.events.post_receive(64);
  side.feed(Octets(octets).first(20));
  side.session.on_time(1000 * kSecond);
  EXPECT_EQ(side.events.log(), Log{});
  side.feed(Octets(octets).subspan(20));
  EXPECT_EQ(side.events.log(), Log{"received 40"});
}

// Rules: iwarp.E17
TEST(IwarpEnding, AnFpduThatWeDoNotTakeIsNotLate) {
  Target side({.extensions = true, .receive_timeout = 1000 * kSecond});
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  const Bytes filler(1000);
  std::uint32_t msn = 2;
  // The first Send takes the only Recv. The others wait for one, until the session takes no more.
  for (msn = 1; side.held_back() == 0; ++msn)
    side.feed(fpdu(untagged(Rdmap::Send, 0, msn), msn == 1 ? Octets() : filler));
  side.events.take_log();
  let_pass(side, 900 * kSecond);
  EXPECT_EQ(side.events.log(), Log{});
}

// Rules: iwarp.E14
TEST(IwarpEnding, OwnMemoryThatGoesBeforeItIsSent) {
  Foreign side;
  Message first(400000);
  ASSERT_EQ(side.session.start(first.work), StartResult::Started);
  // The queue holds a part of the message. The session builds the next part when that part has
  // left.
  side.events.take_log();
  std::array<Octets, 1024> pieces;
  std::size_t size = 0;
  const std::size_t count = side.session.output(pieces, 0);
  for (std::size_t i = 0; i < count; ++i) size += pieces[i].size();
  side.session.sent(size, 0);
  side.events.local_memory_valid = false;
  side.take_output();
  EXPECT_EQ(side.events.log(), (Log{"request failed: status 4 behind 0", "broken"}));
}

// Rules: iwarp.E14
TEST(IwarpEnding, OwnMemoryThatGoesWhileTcpHasAPartOfIt) {
  Foreign side;
  Message sent(8);
  Message first(400000);
  ASSERT_EQ(side.session.start_now(sent.work), StartResult::Started);
  ASSERT_EQ(side.session.start(first.work), StartResult::Started);
  side.events.take_log();
  side.take_output(20); // less than the Send in front of it
  side.events.local_memory_valid = false;
  side.take_output();
  EXPECT_EQ(side.events.log(), (Log{"request failed: status 4 behind 1", "broken"}));
}

// Rules: iwarp.E15
TEST(IwarpEnding, OwnMemoryThatGoesWhileAReadIsAnswered) {
  Foreign side;
  Message message(100);
  const WorkRequest read = read_of(std::span(&message.local, 1), 9, nullptr);
  ASSERT_EQ(side.session.start(read), StartResult::Started);
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  ReadRequest request;
  const Octets ulpdu = frames[0];
  WireReader in(ulpdu.subspan(18));
  ASSERT_TRUE(decode(in, request));
  const Bytes response =
      fpdu(tagged(Rdmap::ReadResponse, request.sink_stag, request.sink_offset), Bytes(100));
  side.feed(Octets(response).first(50));
  side.events.local_memory_valid = false;
  const Bytes before = message.data;
  side.feed(Octets(response).subspan(50));
  EXPECT_EQ(side.events.log(), (Log{"read failed: status 4 behind 0", "broken"}));
  EXPECT_EQ(to_hex(Octets(message.data).subspan(34)), to_hex(Octets(before).subspan(34)));
}

} // namespace
} // namespace datum::iwarp::test
