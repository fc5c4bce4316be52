// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PeerDetection: whether a peer is an own or a foreign peer. What this side sends to the peer, what
// the peer's first FPDU says, and how long this side waits for that FPDU.
#include "transport/iwarp/peer_detection.h"

#include "bare_stream.h"
#include "no_memory.h"

namespace datum::iwarp::test {
namespace {

class DetectionAlone : public ::testing::Test, protected BareStream {
 protected:
  DetectionAlone() {
    stream.peer = PeerKind::Foreign;
    stream.takes_extensions = stream.peer_takes_extensions = false;
    stream.terms.rtr = Rtr::Write;
    stream.terms.peer_ird = 2;
    outbound_.begin(1);
  }
  // Sends and returns the first FPDU of an initiator.
  SentFpdu speak() {
    EXPECT_TRUE(outbound_.ready());
    detection_.speak_first();
    const std::vector<SentFpdu> sent = take();
    EXPECT_EQ(sent.size(), 1U);
    return sent.at(0);
  }
  // The peer sends nothing until the deadline. Returns what this side sends then. `arrived`: the
  // peer's TCP has the Hello.
  std::vector<SentFpdu> stay_silent(bool arrived = true) {
    stream.now = detection_.deadline();
    detection_.on_time(arrived);
    outbound_.fill();
    return take();
  }
  Duration wait() const { return detection_.deadline() - stream.now; }
  static Hello hello_of(std::uint16_t flags) { return {.flags = flags, .largest_ulpdu = 20000}; }

  static constexpr Duration kTimeout = kSecond / 4;
  static constexpr std::uint64_t kOurs = 0x445457501001ffff; // a Hello that takes extensions
  Outbound outbound_{stream, queue, *this};
  PeerDetection detection_{stream, outbound_, {true, true, kTimeout}};
};

// Rules: iwarp.O1
TEST_F(DetectionAlone, AnInitiatorSaysHelloAndDoesNotKnowYet) {
  const SentFpdu sent = speak();
  EXPECT_EQ(sent.opcode, Rdmap::Write);
  EXPECT_EQ(sent.stag, kHelloStag);
  EXPECT_EQ(sent.offset, kOurs);
  EXPECT_EQ(stream.peer, PeerKind::Undecided);
  EXPECT_EQ(wait(), kTimeout);
}

// Rules: iwarp.S15
TEST_F(DetectionAlone, InAnotherFormThereIsNoHelloAndThePeerIsForeign) {
  stream.terms.rtr = Rtr::Read;
  EXPECT_EQ(speak().opcode, Rdmap::ReadRequest);
  EXPECT_EQ(stream.peer, PeerKind::Foreign);
  EXPECT_EQ(detection_.deadline(), kNever);
}

// Rules: iwarp.O1
TEST_F(DetectionAlone, SwitchedOffItSaysNoneAndHearsNone) {
  PeerDetection off{stream, outbound_, {false, true, kTimeout}};
  ASSERT_TRUE(outbound_.ready());
  off.speak_first();
  EXPECT_EQ(take().at(0).offset, 0U);
  EXPECT_EQ(stream.peer, PeerKind::Foreign);
  const Hello hello = hello_of(0);
  EXPECT_TRUE(off.hear_first(&hello));
  EXPECT_EQ(stream.peer, PeerKind::Foreign);
}

TEST_F(DetectionAlone, OurHelloSaysWhetherWeTakeExtensions) {
  PeerDetection without{stream, outbound_, {true, false, kTimeout}};
  ASSERT_TRUE(outbound_.ready());
  without.wait_for_first();
  const Hello hello = hello_of(0);
  EXPECT_TRUE(without.hear_first(&hello));
  EXPECT_EQ(take().at(0).offset, 0x445457501000ffff);
}

// Rules: iwarp.O7
TEST_F(DetectionAlone, AHelloSaysWhatThePeerTakes) {
  const Hello hello = hello_of(Hello::kTakesExtensions);
  EXPECT_TRUE(detection_.hear_first(&hello));
  EXPECT_EQ(stream.peer, PeerKind::Own);
  EXPECT_EQ(stream.most_ulpdu, 20000U);
  EXPECT_TRUE(stream.peer_takes_extensions);
  EXPECT_TRUE(stream.takes_extensions) << "as our own Hello says";
  const Hello plain = hello_of(0);
  EXPECT_TRUE(detection_.hear_first(&plain));
  EXPECT_FALSE(stream.peer_takes_extensions);
}

// Rules: iwarp.V7
TEST_F(DetectionAlone, NoLargerUlpduIsSentThanIsEverSent) {
  const Hello hello{.largest_ulpdu = 0xffff};
  EXPECT_TRUE(detection_.hear_first(&hello));
  EXPECT_EQ(stream.most_ulpdu, 64768U);
}

// Rules: iwarp.O2
TEST_F(DetectionAlone, AnythingElseAndAHelloInAnotherFormChangesNothing) {
  EXPECT_TRUE(detection_.hear_first(nullptr));
  EXPECT_EQ(stream.peer, PeerKind::Foreign);
  stream.terms.rtr = Rtr::Send;
  const Hello hello = hello_of(Hello::kTakesExtensions);
  EXPECT_TRUE(detection_.hear_first(&hello));
  EXPECT_EQ(stream.peer, PeerKind::Foreign);
  EXPECT_EQ(stream.most_ulpdu, kUlpdu);
  EXPECT_FALSE(stream.peer_takes_extensions);
}

// Rules: iwarp.S23
TEST_F(DetectionAlone, AResponderSaysNothingBeforeTheFirstFpdu) {
  WorkRequest work;
  detection_.wait_for_first();
  EXPECT_TRUE(detection_.waits_for_first());
  EXPECT_EQ(outbound_.start(to_request(work), false), StartResult::Later);
  EXPECT_TRUE(detection_.hear_first(nullptr));
  EXPECT_FALSE(detection_.waits_for_first());
  EXPECT_TRUE(take().empty()) << "a foreign peer gets no Hello";
  EXPECT_EQ(outbound_.start(to_request(work), false), StartResult::Started);
}

TEST_F(DetectionAlone, AFirstFpduThatBreaksARuleMayBeAnswered) {
  detection_.wait_for_first();
  detection_.stop_waiting();
  EXPECT_FALSE(detection_.waits_for_first());
}

TEST_F(DetectionAlone, AResponderWithoutMemoryForItsHelloDecidesNothing) {
  fill_queue();
  hold_chunks();
  detection_.wait_for_first();
  const Hello hello = hello_of(0);
  const NoMemory none;
  EXPECT_FALSE(detection_.hear_first(&hello));
  EXPECT_FALSE(detection_.waits_for_first());
}

TEST_F(DetectionAlone, OnceDecidedNothingIsWaitedFor) {
  speak();
  const Hello hello = hello_of(0);
  EXPECT_TRUE(detection_.hear_first(&hello));
  EXPECT_EQ(stream.peer, PeerKind::Own);
  EXPECT_EQ(detection_.deadline(), kNever);
}

// Rules: iwarp.O8
TEST_F(DetectionAlone, WhatTcpHasEndsWhenThePeerIsFoundForeign) {
  speak();
  WorkRequest work;
  ASSERT_TRUE(outbound_.unfinished().make_room());
  outbound_.unfinished().add_send(&work, 1);
  outbound_.unfinished().on_message_built();
  outbound_.unfinished().on_request_built();
  outbound_.unfinished().on_sent(1);
  EXPECT_EQ(events.take_log(), Log{});
  EXPECT_TRUE(detection_.hear_first(nullptr));
  EXPECT_EQ(events.take_log(), Log{"placed 1"});
}

// Rules: iwarp.O16
TEST_F(DetectionAlone, APeerFartherAwayIsWaitedForLonger) {
  detection_.set_round_trip(kSecond);
  speak();
  EXPECT_EQ(wait(), kTimeout + 2 * kSecond);
}

// Rules: iwarp.O16
TEST_F(DetectionAlone, ItIsNotAskedBeforeOurHelloHasCome) {
  speak();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(stay_silent(false).empty());
  EXPECT_TRUE(stay_silent().empty()) << "perhaps only now";
  EXPECT_EQ(wait(), kTimeout);
  EXPECT_EQ(stay_silent().size(), 1U);
}

// Rules: iwarp.O19
TEST_F(DetectionAlone, OneThatServesReadsIsAskedByOneEverMoreSeldomAndNeverGivenUp) {
  speak();
  stay_silent();
  EXPECT_EQ(stay_silent().at(0).opcode, Rdmap::ReadRequest);
  EXPECT_EQ(wait(), kTimeout);
  for (const int times : {2, 4, 8, 16, 32, 64, 128, 256, 256}) {
    const std::vector<SentFpdu> sent = stay_silent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].opcode, Rdmap::Write) << "that Read is outstanding";
    EXPECT_EQ(wait(), times * kTimeout);
  }
  EXPECT_EQ(stream.peer, PeerKind::Undecided);
}

// Rules: iwarp.O19
TEST_F(DetectionAlone, WhereReadsWereNotNegotiatedItIsAskedIfWeMayHaveOne) {
  stream.terms.peer_ird = kNotNegotiated;
  stream.terms.reads_out = 1;
  speak();
  stay_silent();
  EXPECT_EQ(stay_silent().at(0).opcode, Rdmap::ReadRequest);
}

// Rules: iwarp.O9, iwarp.O17
TEST_F(DetectionAlone, OneThatServesNoReadsIsForeignAfterTwelveSpans) {
  for (const std::uint16_t ird : {std::uint16_t{0}, kNotNegotiated}) {
    stream.terms.peer_ird = ird;
    stream.terms.reads_out = 0;
    PeerDetection detection{stream, outbound_, {true, true, kTimeout}};
    ASSERT_TRUE(outbound_.ready());
    detection.speak_first();
    take();
    int spans = 0;
    std::size_t sent = 0;
    detection.on_time(true);
    while (stream.peer == PeerKind::Undecided) {
      ASSERT_EQ(detection.deadline(), stream.now + kTimeout);
      stream.now = detection.deadline();
      detection.on_time(true);
      sent += take().size();
      ++spans;
    }
    EXPECT_EQ(spans, 12);
    EXPECT_EQ(sent, 1U) << "a Write of nothing, once";
    EXPECT_EQ(stream.peer, PeerKind::Foreign);
    EXPECT_EQ(detection.deadline(), kNever);
  }
}

// Rules: iwarp.O21
TEST_F(DetectionAlone, OneThatHasEndedIsLookedForEverMoreSeldom) {
  speak();
  for (const int milliseconds : {1, 2, 4, 8, 16, 32, 32}) {
    EXPECT_FALSE(detection_.hear_end(true, true, false));
    EXPECT_EQ(wait(), milliseconds * kMillisecond);
  }
}

// Rules: iwarp.O21
TEST_F(DetectionAlone, TheEndOfOneThatMustBeOursIsJudgedAtOnceWithinAnFpduOrBehindOurHello) {
  speak();
  EXPECT_TRUE(detection_.hear_end(false, true, false));
  EXPECT_TRUE(detection_.hear_end(true, true, true));
  EXPECT_EQ(stream.peer, PeerKind::Undecided);
}

TEST_F(DetectionAlone, OneThatGotOurHelloAndEndedWithoutItsOwnIsForeign) {
  speak();
  EXPECT_TRUE(detection_.hear_end(true, false, false));
  EXPECT_EQ(stream.peer, PeerKind::Undecided) << "it has placed nothing";
  EXPECT_TRUE(detection_.hear_end(true, false, true));
  EXPECT_EQ(stream.peer, PeerKind::Foreign);
}

} // namespace
} // namespace datum::iwarp::test
