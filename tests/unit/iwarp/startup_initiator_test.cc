// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An initiator up to the reply: the request that it sends, the replies that it takes, refuses or
// asks for elsewhere, and what follows a reject.
#include <gtest/gtest.h>

#include "startup_sides.h"

namespace datum::iwarp::test::startup {
namespace {

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

// --- the reply ----------------------------------------------------------------------------------

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

// Rules: iwarp.S15
TEST(IwarpStartup, HelloOnlyWhereTheReplySelectedTheWriteForm) {
  const Wishes wishes{.reads_in = 4, .reads_out = 4};
  // STag 1. TO: magic, version 1, takes extensions, ULPDUs up to 65535.
  EXPECT_EQ(conclude(reply("5002000480048004"), wishes).output.substr(0, 32),
            "000ec14000000001445457501001ffff");
  EXPECT_EQ(conclude(reply("5002000400040004"), wishes).output, kPlainRtr);
  EXPECT_EQ(conclude(reply("40010000"), {.revision = 1}).output, kPlainRtr);
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

} // namespace
} // namespace datum::iwarp::test::startup
