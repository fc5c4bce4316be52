// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A session from the MPA request to full operation: what the two sides agree on, what they refuse,
// and which side sends first.
#include <gtest/gtest.h>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

constexpr char kRequestKey[] = "4d504120494420526571204672616d65";
constexpr char kReplyKey[] = "4d504120494420526570204672616d65";
// The first FPDU of an initiator without a Hello: a Write of no octets.
constexpr char kPlainRtr[] = "000ec140000000010000000000000000ebd34c5f";

std::string request(std::string_view rest) {
  return std::string(kRequestKey) + std::string(rest);
}
std::string reply(std::string_view rest) {
  return std::string(kReplyKey) + std::string(rest);
}

// What a responder answers to a request.
struct Answer {
  std::string frame;
  Terms terms;
  Log log;
};

Answer answer(std::string_view hex, const Wishes& wishes, const SessionSettings& settings = {}) {
  Side side(settings);
  side.session.expect_request(0);
  side.feed_hex(hex);
  side.session.accept({}, wishes, side.events, 0);
  Answer result;
  result.frame = to_hex(side.take_output());
  result.terms = side.session.terms();
  result.log = side.events.take_log();
  return result;
}

// A responder that has accepted a request with these octets behind the key, and 4 Reads each way.
struct Responder : Side {
  explicit Responder(std::string_view words) {
    session.expect_request(0);
    feed_hex(request(words));
    session.accept({}, {.reads_in = 4, .reads_out = 4}, events, 0);
    take_output();
    events.take_log();
  }
};

// What an initiator does with a reply.
struct Outcome {
  std::string request;
  std::string output;
  Terms terms;
  Log log;
  bool finished = false;
};

Outcome conclude(std::string_view hex, const Wishes& wishes, const SessionSettings& settings = {},
                 std::size_t piece = 10000) {
  Side side(settings);
  side.session.connect({}, wishes, side.events, 0);
  Outcome result;
  result.request = to_hex(side.take_output());
  side.feed(from_hex(hex), piece);
  result.output = to_hex(side.take_output());
  result.terms = side.session.terms();
  result.log = side.events.take_log();
  result.finished = side.session.finished();
  return result;
}

SessionSettings without_hello() {
  SessionSettings settings;
  settings.hello = false;
  return settings;
}

// --- the request ---------------------------------------------------------------------------------

// Rules: iwarp.S1
TEST(IwarpStartup, RequestOffersPeerToPeerWithTwoForms) {
  Side side;
  const Bytes data = from_hex("101112131415161718191a1b1c1d1e1f");
  side.session.connect(data, {.reads_in = 16, .reads_out = 8}, side.events, 0);
  EXPECT_EQ(to_hex(side.take_output()), request("50020014"
                                                "8010c008101112131415161718191a1b1c1d1e1f"));
}

// Rules: iwarp.S1
TEST(IwarpStartup, RequestLeavesInOnePiece) {
  Side side;
  const Bytes data(508);
  side.session.connect(data, {.reads_in = 1, .reads_out = 1}, side.events, 0);
  std::array<Octets, 4> pieces;
  ASSERT_EQ(side.session.output(pieces, 0), 1U);
  EXPECT_EQ(pieces[0].size(), 532U);
}

// Rules: iwarp.S2
TEST(IwarpStartup, RequestOfRevision1) {
  Side side;
  side.session.connect(from_hex("ab"), {.revision = 1, .reads_in = 16, .reads_out = 8}, side.events,
                       0);
  EXPECT_EQ(to_hex(side.take_output()), request("40010001"
                                                "ab"));
}

// Rules: iwarp.S3
TEST(IwarpStartup, NothingButTheReplyIsExpectedBeforeIt) {
  Side side;
  side.session.connect({}, {}, side.events, 0);
  EXPECT_EQ(to_hex(side.take_output()), request("50020004"
                                                "8000c001"));
  EXPECT_FALSE(side.session.has_output());
  WorkRequest work = send_of({});
  EXPECT_EQ(side.session.start(work), StartResult::Later);
}

// --- the responder -------------------------------------------------------------------------------

// Rules: iwarp.S4
TEST(IwarpStartup, RevisionsOtherThan1And2AreClosed) {
  for (const char* revision : {"00", "03", "ff"}) {
    Side side;
    side.session.expect_request(0);
    side.feed_hex(request(std::string("40") + revision + "0000"));
    EXPECT_TRUE(side.session.finished());
    EXPECT_FALSE(side.session.has_output());
    EXPECT_EQ(side.events.log(), Log{});
  }
}

// Rules: iwarp.S4
TEST(IwarpStartup, ReplyWhereARequestIsExpectedIsClosed) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(reply("40010000"));
  EXPECT_TRUE(side.session.finished());
}

// Rules: iwarp.S5
TEST(IwarpStartup, RequestReachesTheConsumerWithItsPrivateData) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
    Side side;
    side.session.expect_request(0);
    side.feed(from_hex(request("50020006"
                               "8010c008cafe")),
              piece);
    EXPECT_EQ(side.events.log(), Log{"request cafe"});
    EXPECT_EQ(side.session.terms().peer_ird, 16);
    EXPECT_EQ(side.session.terms().peer_ord, 8);
    EXPECT_FALSE(side.session.has_output()) << "nothing is said before the consumer has decided";
  }
}

// Rules: iwarp.S5
TEST(IwarpStartup, PrivateDataOfEverySize) {
  for (const std::size_t size : {0U, 1U, 251U, 252U, 256U, 508U, 509U, 512U}) {
    Side side;
    side.session.expect_request(0);
    Bytes octets = from_hex(request("4001"));
    octets.push_back(static_cast<std::byte>(size >> 8U));
    octets.push_back(static_cast<std::byte>(size & 0xffU));
    const Bytes data = pattern(size, 3, 1);
    octets.insert(octets.end(), data.begin(), data.end());
    side.feed(octets, 19);
    EXPECT_EQ(side.events.log(), Log{"request " + to_hex(data)});
  }
}

// Rules: iwarp.S6
TEST(IwarpStartup, ReplySelectsExactlyOneForm) {
  const Wishes wishes{.reads_in = 4, .reads_out = 4};
  struct Setting {
    const char* offered;
    const char* answered;
  };
  for (const Setting& setting :
       {Setting{"8004c004", "80048004"},  // C and D offered: C
        Setting{"80044004", "80044004"},  // D only: D
        Setting{"c0040004", "c0040004"},  // B only: B
        Setting{"c004c004", "80048004"},  // all: C
        Setting{"80040004", "80048004"},  // none: one that Datum supports
        Setting{"00040004", "00040004"},  // client-server: none
        Setting{"4004c004", "00040004"}}) // without A the others mean nothing
    EXPECT_EQ(answer(request(std::string("50020004") + setting.offered), wishes).frame,
              reply(std::string("50020004") + setting.answered))
        << setting.offered;
}

// Rules: iwarp.S7
TEST(IwarpStartup, ReplyIsOfTheRevisionAndKindOfTheRequest) {
  const Wishes wishes{.reads_in = 4, .reads_out = 4};
  EXPECT_EQ(answer(request("40010000"), wishes).frame, reply("40010000"));
  EXPECT_EQ(answer(request("40020000"), wishes).frame, reply("40020000")); // S clear
  // In revision 1 the bit S is reserved. The four octets are private data of the consumer.
  const Answer old = answer(request("50010004"
                                    "8004c004"),
                            wishes);
  EXPECT_EQ(old.frame, reply("40010000"));
  EXPECT_EQ(old.log.at(0), "request 8004c004");
}

// Rules: iwarp.S8
TEST(IwarpStartup, ReservedBitsAndRejectOfARequestAreNotLookedAt) {
  EXPECT_EQ(answer(request("6f010000"), {}).frame, reply("40010000"));
}

// Rules: iwarp.S9
TEST(IwarpStartup, CrcIsOffOnlyIfNeitherWantsIt) {
  SessionSettings off;
  off.crc = false;
  EXPECT_EQ(answer(request("00010000"), {}, off).frame, reply("00010000"));
  EXPECT_FALSE(answer(request("00010000"), {}, off).terms.crc);
  EXPECT_EQ(answer(request("40010000"), {}, off).frame, reply("40010000"));
  EXPECT_TRUE(answer(request("40010000"), {}, off).terms.crc);
  EXPECT_EQ(answer(request("00010000"), {}).frame, reply("40010000"));

  const Outcome agreed = conclude(reply("00010000"), {.revision = 1}, off);
  EXPECT_FALSE(agreed.terms.crc);
  EXPECT_EQ(agreed.output, "000ec1400000000100000000000000000000"
                           "0000");
  EXPECT_TRUE(conclude(reply("40010000"), {.revision = 1}, off).terms.crc);
  EXPECT_TRUE(conclude(reply("00010000"), {.revision = 1}).terms.crc);
}

// Rules: iwarp.S10
TEST(IwarpStartup, ResponderFitsIrdAndOrdToTheRequest) {
  // Initiator: IRD 8, ORD 6.
  const std::string wanted = request("50020004"
                                     "8008c006");
  Terms terms = answer(wanted, {.reads_in = 32, .reads_out = 32}).terms;
  EXPECT_EQ(terms.reads_out, 8) << "no more than the initiator serves";
  EXPECT_EQ(terms.reads_in, 32);
  terms = answer(wanted, {.reads_in = 4, .reads_out = 4}).terms;
  EXPECT_EQ(terms.reads_out, 4);
  EXPECT_EQ(terms.reads_in, 4) << "the initiator will use no more";
  terms = answer(wanted, {.reads_in = 0, .reads_out = 4}).terms;
  EXPECT_EQ(terms.reads_in, 0) << "a consumer that serves none is not made to";
  // The session bounds the numbers of a hostile peer.
  terms = answer(request("50020004"
                         "bffeffff"),
                 {.reads_in = 4, .reads_out = 4})
              .terms;
  EXPECT_EQ(terms.reads_in, 4);
  EXPECT_EQ(terms.reads_out, 4);
}

// Rules: iwarp.S10
TEST(IwarpStartup, IrdAndOrdThatAreNotNegotiated) {
  const Answer both = answer(request("50020004"
                                     "bfffffff"),
                             {.reads_in = 4, .reads_out = 5});
  EXPECT_EQ(both.frame, reply("50020004"
                              "bfffbfff"));
  EXPECT_EQ(both.terms.reads_in, 4);
  EXPECT_EQ(both.terms.reads_out, 5);
  const Outcome outcome = conclude(reply("50020004"
                                         "bfffbfff"),
                                   {.reads_in = 4, .reads_out = 5});
  EXPECT_EQ(outcome.terms.reads_in, 4);
  EXPECT_EQ(outcome.terms.reads_out, 5);
}

// Rules: iwarp.S10
TEST(IwarpStartup, AnIrdThatIsNotNegotiatedIsAnsweredByTheOrdAndAnOrdByTheIrd) {
  const Wishes wishes{.reads_in = 4, .reads_out = 5};
  // Initiator: IRD left open, ORD 6; then IRD 8, ORD left open.
  EXPECT_EQ(answer(request("50020004"
                           "bfffc006"),
                   wishes)
                .frame,
            reply("50020004"
                  "8004bfff"));
  EXPECT_EQ(answer(request("50020004"
                           "8008ffff"),
                   wishes)
                .frame,
            reply("50020004"
                  "bfff8005"));
}

// Rules: iwarp.S11
TEST(IwarpStartup, ReadFormOfRtrHasAPlaceThoughTheConsumerServesNone) {
  const Answer read = answer(request("50020004"
                                     "80004001"),
                             {.reads_in = 0, .reads_out = 0});
  EXPECT_EQ(read.frame, reply("50020004"
                              "80014000"));
  EXPECT_EQ(read.terms.reads_in, 0);
}

// Rules: iwarp.S12
TEST(IwarpStartup, RejectCarriesTheConsumersDataBehindTheEnhancedData) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(request("50020004"
                        "8010c008"));
  side.session.reject(from_hex("676f"), 0);
  EXPECT_EQ(to_hex(side.take_output()), reply("70020006"
                                              "80008000676f"));
  EXPECT_TRUE(side.session.wants_shutdown());
  side.session.shut_down();
  EXPECT_FALSE(side.session.finished()) << "the reject must not be destroyed by a reset";
  side.session.end_of_stream(0);
  EXPECT_TRUE(side.session.finished());
  EXPECT_FALSE(side.session.must_reset());
}

// Rules: iwarp.S12
TEST(IwarpStartup, RejectOfRevision1) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(request("40010000"));
  side.session.reject(from_hex("676f2061776179"), 0);
  EXPECT_EQ(to_hex(side.take_output()), reply("60010007676f2061776179"));
}

// Rules: iwarp.S13
TEST(IwarpStartup, RequesterThatHasGoneIsNoticedAtTheAnswer) {
  for (const bool reset : {false, true}) {
    Side side;
    side.session.expect_request(0);
    side.feed_hex(request("40010000"));
    if (reset)
      side.session.lost(0);
    else
      side.session.end_of_stream(0);
    EXPECT_EQ(side.events.take_log(), Log{"request "}) << "the request stays until it is answered";
    side.session.accept({}, {}, side.events, 5);
    EXPECT_EQ(side.events.log(), Log{}) << "not from within accept()";
    EXPECT_LE(side.session.deadline(), 5);
    side.session.on_time(5);
    EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
    EXPECT_TRUE(side.session.finished());
  }
}

// Rules: iwarp.S13
TEST(IwarpStartup, OctetsBehindTheRequestBreakTheRules) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(request("4001000000"));
  side.session.accept({}, {}, side.events, 0);
  side.session.on_time(0);
  EXPECT_EQ(side.events.log(), (Log{"request ", "failed: non-peer rejected"}));
}

// --- the initiator -------------------------------------------------------------------------------

// Rules: iwarp.S14
TEST(IwarpStartup, InitiatorSendsTheFormInTheReply) {
  const Wishes wishes{.reads_in = 4, .reads_out = 4};
  const auto rtr = [&](const char* enhanced) {
    return conclude(reply(std::string("50020004") + enhanced), wishes, without_hello()).output;
  };
  EXPECT_EQ(rtr("80048004"), kPlainRtr);
  EXPECT_EQ(rtr("80044004"), "002e4141000000000000000100000001000000000000000100000000000000000000"
                             "000000000001000000000000000027dbd7e7");
  EXPECT_EQ(rtr("c0040004"), to_hex(fpdu(untagged(Rdmap::Send, 0, 1))));
  // Client-server: the initiator sends a first FPDU as well, since a responder may wait for one.
  EXPECT_EQ(rtr("00040004"), kPlainRtr);
  EXPECT_EQ(rtr("0004c004"), kPlainRtr);
}

// Rules: iwarp.S14
TEST(IwarpStartup, InitiatorOfRevision1SpeaksFirst) {
  const Outcome outcome = conclude(reply("400100024f4b"), {.revision = 1, .reads_out = 7});
  EXPECT_EQ(outcome.output, kPlainRtr);
  EXPECT_EQ(outcome.log, Log{"established 4f4b reads 7"});
}

// Rules: iwarp.S33
TEST(IwarpStartup, InRevision1OrdIsTheConsumersOrOne) {
  const auto responder = [](const Wishes& wishes) {
    Side side;
    side.session.expect_request(0);
    side.feed_hex(request("40010000"));
    side.session.accept({}, wishes, side.events, 0);
    return side.session.terms().reads_out;
  };
  const auto initiator = [](Wishes wishes) {
    wishes.revision = 1;
    return conclude(reply("40010000"), wishes).terms.reads_out;
  };
  const Wishes chosen{.reads_out = 7};
  const Wishes left{.reads_out = 4, .reads_out_chosen = false};
  const Wishes none{.reads_out = 0, .reads_out_chosen = false};
  EXPECT_EQ(responder(chosen), 7);
  EXPECT_EQ(initiator(chosen), 7);
  EXPECT_EQ(responder(left), 1);
  EXPECT_EQ(initiator(left), 1);
  EXPECT_EQ(responder(none), 0);
  EXPECT_EQ(initiator(none), 0);
  // Where the sides negotiate ORD, it does not matter whether the consumer chose it.
  EXPECT_EQ(conclude(reply("5002000480108004"), left).terms.reads_out, 4);
}

// Rules: iwarp.S15
TEST(IwarpStartup, HelloOnlyWhereTheReplySelectedTheWriteForm) {
  const Wishes wishes{.reads_in = 4, .reads_out = 4};
  // STag 1. TO: magic, version 1, takes extensions, ULPDUs up to 65535.
  EXPECT_EQ(conclude(reply("5002000480048004"), wishes).output.substr(0, 32),
            "000ec14000000001445457501001ffff");
  EXPECT_EQ(conclude(reply("5002000400040004"), wishes).output, kPlainRtr);
  EXPECT_EQ(conclude(reply("40010000"), {.revision = 1}).output, kPlainRtr);
}

// Rules: iwarp.S16
TEST(IwarpStartup, InitiatorFitsIrdAndOrdToTheReply) {
  const Wishes wishes{.reads_in = 8, .reads_out = 8};
  Terms terms = conclude(reply("5002000480048004"), wishes).terms; // IRD 4, ORD 4
  EXPECT_EQ(terms.reads_out, 4);
  EXPECT_EQ(terms.reads_in, 8);
  terms = conclude(reply("5002000480108006"), wishes).terms; // IRD 16, ORD 6
  EXPECT_EQ(terms.reads_out, 8);
  EXPECT_EQ(terms.reads_in, 8);
  EXPECT_EQ(terms.peer_ird, 16);
  EXPECT_EQ(terms.peer_ord, 6);
}

// Rules: iwarp.S17
TEST(IwarpStartup, ReplyThatNeedsMoreReadsThanThereCanBe) {
  struct Setting {
    const char* enhanced;
    Wishes wishes;
  };
  for (const Setting& setting :
       {Setting{"80048009", {.reads_in = 8, .reads_out = 8}},    // ORD 9
        Setting{"80048001", {.reads_in = 0, .reads_out = 8}},    // ORD 1, and none are served
        Setting{"80004000", {.reads_in = 8, .reads_out = 8}}}) { // read form, IRD 0
    const Outcome outcome =
        conclude(reply(std::string("50020004") + setting.enhanced), setting.wishes);
    EXPECT_EQ(outcome.output, to_hex(fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("20060000"))));
    EXPECT_EQ(outcome.log, Log{"failed: non-peer rejected"});
  }
}

// Rules: iwarp.S18
TEST(IwarpStartup, ReplyWithoutAnyFormOfRtr) {
  const Outcome outcome = conclude(reply("5002000480040004"), {.reads_in = 8, .reads_out = 8});
  EXPECT_EQ(outcome.output, to_hex(fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("20070000"))));
  EXPECT_EQ(outcome.log, Log{"failed: non-peer rejected"});
}

// Rules: iwarp.S19
TEST(IwarpStartup, RejectedWithPrivateData) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
    Side side;
    side.session.connect({}, {}, side.events, 0);
    side.take_output();
    side.feed(from_hex(reply("7002000680008000676f")), piece);
    EXPECT_EQ(side.events.log(), Log{"failed: peer rejected 676f"});
    EXPECT_EQ(to_hex(side.session.private_data()), "676f");
    EXPECT_TRUE(side.session.finished());
    EXPECT_FALSE(side.session.has_output());
  }
}

// Rules: iwarp.S29
TEST(IwarpStartup, RefusalByTheProvider) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(request("50020004"
                        "8010c008"));
  side.session.refuse(Refusal::NotAccepted, 0);
  EXPECT_EQ(to_hex(side.take_output()), reply("7002000c"
                                              "80008000"
                                              "4454524600000001"));
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.S29
TEST(IwarpStartup, RefusedByTheProvider) {
  struct Setting {
    const char* data;
    bool asked_elsewhere;
    const char* told;
    int replies;
  };
  for (const Setting& setting :
       {Setting{"4454524600000001", true, "failed: non-peer rejected", 1},
        Setting{"4454524600000002", false, "failed: non-peer rejected", 0},
        Setting{"4454524600000002", true, "", 0},
        // An unknown reason, whatever its last octet.
        Setting{"4454524600000003", true, "failed: non-peer rejected", 1},
        Setting{"4454524600000102", true, "failed: non-peer rejected", 1},
        Setting{"4454524700000002", true, "failed: peer rejected 4454524700000002", 1}}) {
    Side side;
    if (setting.asked_elsewhere) side.events.no_reply_handled = NoReply::NotHere;
    side.session.connect({}, {}, side.events, 0);
    side.take_output();
    side.feed(from_hex(reply("7002000c80008000") + setting.data));
    const Log expected = *setting.told == 0 ? Log{} : Log{setting.told};
    EXPECT_EQ(side.events.log(), expected) << setting.data;
    EXPECT_EQ(side.events.replies, setting.replies) << setting.data;
    EXPECT_TRUE(side.session.finished());
  }
}

// Rules: iwarp.S30
TEST(IwarpStartup, CloseRightBehindTheAccept) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(request("50020004"
                        "8010c008"));
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_EQ(to_hex(side.take_output()), reply("50020004"
                                              "80048004"));
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.S20
TEST(IwarpStartup, RepliesThatContradictTheRequestAreClosed) {
  for (const char* frame : {"40010000",          // another revision
                            "40020000",          // S clear
                            "50030004800480048", // an unknown revision
                            "50020002"
                            "8004",        // enhanced data cut off
                            "50020201"}) { // longer than can be
    const Outcome outcome = conclude(reply(frame), {.reads_in = 8, .reads_out = 8}, {}, 7);
    EXPECT_EQ(outcome.log, Log{"failed: non-peer rejected"}) << frame;
    EXPECT_TRUE(outcome.finished);
  }
  EXPECT_EQ(conclude(reply("5001000480048004"), {.revision = 1}).log,
            Log{"established 80048004 reads 0"})
      << "revision 1 has no S";
  EXPECT_EQ(conclude(request("5002000480048004"), {}).log, Log{"failed: non-peer rejected"});
}

// Rules: iwarp.S21
TEST(IwarpStartup, SilentRefusalMayBeTriedAgainWithRevision1) {
  for (const std::uint8_t revision : {std::uint8_t{1}, std::uint8_t{2}}) {
    for (const bool handled : {false, true}) {
      Side side;
      if (handled) side.events.no_reply_handled = NoReply::Nothing;
      side.session.connect({}, {.revision = revision}, side.events, 0);
      side.take_output();
      side.session.lost(0);
      EXPECT_EQ(side.events.log(), handled ? Log{} : Log{"failed: non-peer rejected"});
      EXPECT_TRUE(side.session.finished());
    }
  }
  // This peer was not silent.
  Side begun;
  begun.events.no_reply_handled = NoReply::Nothing;
  begun.session.connect({}, {}, begun.events, 0);
  begun.feed_hex("4d50");
  begun.session.end_of_stream(0);
  EXPECT_EQ(begun.events.log(), Log{"failed: non-peer rejected"});
}

// Another protocol, a reply that breaks off, a reply of another revision.
// Rules: tcp.Q5
TEST(IwarpStartup, WhatIsNoReplyMayBeAskedForElsewhere) {
  for (const std::string& octets :
       {std::string("485454502f312e3020"), std::string("4d50"), reply("40010000")}) {
    for (const bool handled : {false, true}) {
      Side side;
      if (handled) side.events.no_reply_handled = NoReply::Foreign;
      side.session.connect({}, {}, side.events, 0);
      side.take_output();
      side.feed_hex(octets);
      side.session.end_of_stream(0);
      EXPECT_EQ(side.events.log(), handled ? Log{} : Log{"failed: non-peer rejected"}) << octets;
      EXPECT_EQ(side.events.replies, 0) << octets;
      EXPECT_TRUE(side.session.finished());
    }
  }
}

// Rules: iwarp.S22
TEST(IwarpStartup, FirstFpduRightBehindTheReplyIsNotLost) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{21}, std::size_t{1000}}) {
    Side side(without_hello());
    side.session.connect({}, {.revision = 1}, side.events, 0);
    side.take_output();
    side.events.post_receive(8);
    Bytes octets = from_hex(reply("40010000"));
    const Bytes first = fpdu(untagged(Rdmap::Send, 0, 1), pattern(3, 1, 1));
    octets.insert(octets.end(), first.begin(), first.end());
    side.feed(octets, piece);
    EXPECT_EQ(side.events.log(), (Log{"established  reads 0", "received 3"}));
  }
}

// --- which side sends first ----------------------------------------------------------------------

// Rules: iwarp.S23
TEST(IwarpStartup, ResponderHoldsBackUntilTheFirstFpdu) {
  for (const char* frame : {"40010000", "5002000400040004"}) {
    Side side;
    side.session.expect_request(0);
    side.feed_hex(request(frame));
    side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
    EXPECT_EQ(side.events.take_log().size(), 1U) << "the reply has not left yet";
    side.take_output();
    EXPECT_EQ(side.events.take_log(), Log{"established  reads 4"}) << "client-server: at the reply";
    const Bytes data = pattern(4, 1, 1);
    const LocalTriplet local = triplet(data.data(), data.size());
    side.events.start_on_room.push_back(send_of(std::span(&local, 1)));
    EXPECT_EQ(side.session.start(side.events.start_on_room[0]), StartResult::Later);
    EXPECT_FALSE(side.session.has_output());
    side.feed_hex(kPlainRtr);
    EXPECT_EQ(to_hex(side.take_output()), to_hex(fpdu(untagged(Rdmap::Send, 0, 1), data)));
    EXPECT_EQ(side.events.log(), Log{"placed 1"});
  }
}

// Rules: iwarp.S24
TEST(IwarpStartup, PeerToPeerResponderIsEstablishedByTheRtr) {
  struct Form {
    const char* enhanced;
    Bytes rtr;
    std::string answer;
  };
  const Bytes read =
      fpdu(untagged(Rdmap::ReadRequest, 1, 1),
           octets_of(ReadRequest{
               .sink_stag = 5, .sink_offset = 6, .size = 0, .source_stag = 7, .source_offset = 8}));
  for (const Form& form : {Form{"80048004", from_hex(kPlainRtr), ""},
                           Form{"80044004", read, to_hex(fpdu(tagged(Rdmap::ReadResponse, 5, 6)))},
                           Form{"c0040004", fpdu(untagged(Rdmap::Send, 0, 1)), ""}}) {
    Side side;
    side.session.expect_request(0);
    side.feed_hex(request(std::string("50020004") + form.enhanced));
    side.session.accept({}, {.reads_in = 0, .reads_out = 4}, side.events, 0);
    side.take_output();
    EXPECT_EQ(side.events.take_log().size(), 1U);
    side.feed(Octets(form.rtr).first(form.rtr.size() - 1));
    EXPECT_EQ(side.events.log(), Log{});
    side.feed(Octets(form.rtr).last(1));
    EXPECT_EQ(side.events.log(), Log{"established  reads 4"});
    EXPECT_EQ(to_hex(side.take_output()), form.answer);
  }
}

// Rules: iwarp.S25
TEST(IwarpStartup, SendFormOfRtrTakesNoReceive) {
  Responder side("50020004c0040004");
  side.events.post_receive(8);
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1)));
  side.feed(fpdu(untagged(Rdmap::Send, 0, 2), pattern(2, 1, 1)));
  EXPECT_EQ(side.events.log(), (Log{"established  reads 4", "received 2"}));
}

// Rules: iwarp.S25 iwarp.C38
TEST(IwarpStartup, EmptySendWithInvalidateIsAMessageAndNoRtr) {
  Responder side("50020004c0040004");
  side.events.post_receive(8);
  UntaggedHeader header = untagged(Rdmap::SendInvalidate, 0, 1);
  header.invalidate = 77;
  side.feed(fpdu(header));
  EXPECT_EQ(side.events.log(), (Log{"established  reads 4", "invalidated 77", "received 0"}));
}

// Rules: iwarp.S25
TEST(IwarpStartup, EmptySendThatIsNoRtrTakesAReceive) {
  Responder side("5002000480048004");
  side.events.post_receive(8);
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1)));
  EXPECT_EQ(side.events.log(), (Log{"established  reads 4", "received 0"}));
}

// Rules: iwarp.S26
TEST(IwarpStartup, FirstFpduThatIsRefusedEstablishesNothing) {
  Responder side("5002000480048004");
  // The Terminate of an initiator that cannot go on.
  side.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("20060000")));
  EXPECT_EQ(side.events.log().back(), "failed: non-peer rejected");
  EXPECT_EQ(side.events.log().size(), 1U);
}

// The flag S announces enhanced data. If the length leaves no room for that data, the session waits
// for no more octets.
// Rules: iwarp.N3
TEST(IwarpStartup, EnhancedDataThatCannotBeThereIsNoticedAtTheLength) {
  for (const char* length : {"0000", "0003"}) {
    Side side;
    side.session.expect_request(0);
    side.feed_hex("4d504120494420526571204672616d655002");
    EXPECT_FALSE(side.session.finished());
    side.feed_hex(length);
    EXPECT_TRUE(side.session.finished()) << length;
  }
}

// --- a first FPDU that is bad --------------------------------------------------------------------

namespace {

// An FPDU that breaks a rule although its CRC is good, and the error of the Terminate for it.
struct Bad {
  const char* code;
  Bytes octets;
};

Bytes with_crc(std::string_view hex) {
  Bytes octets = from_hex(hex);
  const std::uint32_t value = crc32c(octets);
  for (unsigned i = 0; i < 4; ++i)
    octets.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
  return octets;
}

std::vector<Bad> bad_fpdus() {
  TaggedHeader old = tagged(Rdmap::Write, 5, 0x1000);
  old.control.ddp_version = 0;
  UntaggedHeader newer = untagged(Rdmap::Send, 0, 1);
  newer.control.rdmap_version = 2;
  return {{"1000", with_crc("00000000")}, // empty, so shorter than any header
          {"1000", with_crc("0001c100")},
          {"1000", with_crc("000dc1400000000000000000000000"
                            "00")},
          {"1104", fpdu(old, Bytes(8))},
          {"0205", fpdu(newer, Bytes(8))},
          {"0206", fpdu(untagged(static_cast<Rdmap>(12), 0, 1), Bytes(8))},
          {"1201", fpdu(untagged(Rdmap::Send, 7, 1), Bytes(8))},
          {"1203", fpdu(untagged(Rdmap::Send, 0, 2), Bytes(8))},
          {"1204", fpdu(untagged(Rdmap::Send, 0, 1, 4), Bytes(8))},
          {"1100", fpdu(tagged(Rdmap::Write, 5, 0x1000), Bytes(300))},
          {"1000", fpdu(tagged(Rdmap::ReadResponse, 5, 0x1000), Bytes(8))},
          {"0100", fpdu(untagged(Rdmap::ReadRequest, 1, 1),
                        octets_of(ReadRequest{.size = 8, .source_stag = 5}))}};
}

// Layer, type and code of the Terminate that the side sends last.
std::string told(Side& side) {
  const std::vector<Bytes> all = ulpdus(side.take_output());
  if (all.empty()) return "nothing";
  EXPECT_EQ(to_hex(Octets(all.back()).first(2)), "4147");
  return to_hex(Octets(all.back()).subspan(18, 2));
}

// The request for client-server and for peer-to-peer, and the event that the consumer gets.
constexpr const char* kModels[][2] = {{"40010000", "broken"},
                                      {"5002000480048004", "failed: non-peer rejected"}};

} // namespace

// Rules: iwarp.S31
TEST(IwarpStartup, FirstFpduThatBreaksARuleIsAnsweredWhenItIsWhole) {
  for (const auto& [model, end] : kModels) {
    for (const Bad& bad : bad_fpdus()) {
      SCOPED_TRACE(std::string(model) + " " + to_hex(bad.octets));
      for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
        Responder side(model);
        const std::size_t most = bad.octets.size() - 1;
        side.feed(Octets(bad.octets).first(most), piece);
        EXPECT_EQ(told(side), "nothing");
        EXPECT_EQ(side.events.log(), Log{});
        side.feed(Octets(bad.octets).subspan(most));
        EXPECT_EQ(told(side), bad.code);
        EXPECT_EQ(side.events.log(), Log{end});
        EXPECT_TRUE(side.session.wants_shutdown());
      }
      Responder side(model);
      side.feed(bad.octets);
      EXPECT_EQ(told(side), bad.code) << "in one piece";
    }
  }
}

// The session resets the stream, since an orderly end would say that nothing was wrong.
// Rules: iwarp.S31
TEST(IwarpStartup, FirstFpduWithABadCrcEndsWithoutAWord) {
  std::vector<Bad> all = bad_fpdus();
  all.push_back({"", from_hex(kPlainRtr)});
  all.push_back({"", fpdu(untagged(Rdmap::Terminate, 2, 1), Bytes(4))});
  for (const auto& [model, end] : kModels) {
    for (Bad& bad : all) {
      SCOPED_TRACE(std::string(model) + " " + to_hex(bad.octets));
      Bytes spoilt = bad.octets;
      spoilt.back() ^= std::byte{1};
      for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
        Responder side(model);
        side.feed(spoilt, piece);
        EXPECT_EQ(told(side), "nothing");
        EXPECT_EQ(side.events.log(), Log{end});
        EXPECT_TRUE(side.session.finished());
        EXPECT_TRUE(side.session.must_reset());
      }
    }
  }
}

// Rules: iwarp.S31 iwarp.S27
TEST(IwarpStartup, FirstFpduThatIsNeverWholeEndsWithoutAWord) {
  for (const auto& [model, end] : kModels) {
    for (const char* beginning : {"ffffffffffff", "0017414300000000"}) {
      Responder side(model);
      side.feed_hex(beginning);
      for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(side.events.log(), Log{});
        side.now += 30 * kSecond / 4;
        side.session.on_time(side.now);
      }
      EXPECT_EQ(told(side), "nothing");
      EXPECT_EQ(side.events.log(), Log{end});
      EXPECT_TRUE(side.session.must_reset());
    }
  }
}

// The consumer takes the memory back while the payload arrives.
// Rules: iwarp.S31
TEST(IwarpStartup, FirstFpduThatLosesItsPlaceEndsWithoutAWord) {
  for (const auto& [model, end] : kModels) {
    Responder side(model);
    const std::byte* memory = side.events.add_region(0x501, 64, kRemoteWrite);
    const Bytes octets =
        fpdu(tagged(Rdmap::Write, 0x501, reinterpret_cast<std::uint64_t>(memory)), Bytes(64));
    side.feed(Octets(octets).first(20));
    side.events.revoke(0x501);
    side.feed(Octets(octets).subspan(20));
    EXPECT_EQ(told(side), "nothing");
    EXPECT_EQ(side.events.log(), Log{end});
  }
}

// An initiator has sent its own first FPDU already. So it may answer a bad first FPDU of the peer
// with a Terminate at once.
// Rules: iwarp.S31
TEST(IwarpStartup, InitiatorNamesWhatIsWrongWithTheFirstFpdu) {
  std::vector<Bad> all = bad_fpdus();
  Bytes spoilt = from_hex(kPlainRtr);
  spoilt.back() ^= std::byte{1};
  all.push_back({"2002", spoilt});
  for (const Bad& bad : all) {
    SCOPED_TRACE(to_hex(bad.octets));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
      Side side;
      side.session.connect({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
      side.take_output();
      side.feed_hex("4d504120494420526570204672616d6550020004"
                    "80048004");
      side.take_output();
      EXPECT_EQ(side.events.take_log().size(), 1U);
      side.feed(bad.octets, piece);
      EXPECT_EQ(told(side), bad.code);
      EXPECT_EQ(side.events.log(), Log{"broken"});
    }
  }
}

// --- silent and slow peers -----------------------------------------------------------------------

// Rules: iwarp.S27
TEST(IwarpStartup, SlowRequestIsGivenUp) {
  Side side;
  side.session.expect_request(100);
  EXPECT_EQ(side.session.deadline(), 100 + 10 * kSecond);
  side.now = 100 + 9 * kSecond;
  side.feed_hex("4d504120");
  EXPECT_EQ(side.session.deadline(), 100 + 10 * kSecond) << "every octet does not start it anew";
  side.session.on_time(100 + 10 * kSecond - 1);
  EXPECT_FALSE(side.session.finished());
  side.session.on_time(100 + 10 * kSecond);
  EXPECT_TRUE(side.session.finished());
  EXPECT_EQ(side.events.log(), Log{});
}

// Rules: iwarp.S27
TEST(IwarpStartup, FirstFpduThatDoesNotComeIsGivenUp) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex(request("5002000480048004"));
  side.session.accept({}, {}, side.events, 7);
  side.now = 7;
  side.take_output();
  side.events.take_log();
  EXPECT_EQ(side.session.deadline(), 7 + 60 * kSecond);
  side.session.on_time(7 + 60 * kSecond);
  EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
  EXPECT_TRUE(side.session.finished());
  // In the client-server model there is no limit of time for the first FPDU.
  Side quiet;
  quiet.session.expect_request(0);
  quiet.feed_hex(request("40010000"));
  quiet.session.accept({}, {}, quiet.events, 0);
  quiet.take_output();
  EXPECT_EQ(quiet.session.deadline(), kNever);
}

// Rules: iwarp.S28
TEST(IwarpStartup, SomethingElseThanMpaIsNoticedAtItsFirstOctets) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex("474554"); // an HTTP client
  EXPECT_TRUE(side.session.finished());
}

} // namespace
} // namespace datum::iwarp::test
