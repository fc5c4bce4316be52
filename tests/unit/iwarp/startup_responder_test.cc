// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A responder up to its answer: the requests that it takes or closes, its reply or reject, and
// requesters that are slow or gone.
#include <gtest/gtest.h>

#include "startup_sides.h"

namespace datum::iwarp::test::startup {
namespace {

// --- the request --------------------------------------------------------------------------------

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

// Rules: iwarp.S28
TEST(IwarpStartup, SomethingElseThanMpaIsNoticedAtItsFirstOctets) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex("474554"); // an HTTP client
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

// --- the answer ---------------------------------------------------------------------------------

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

} // namespace
} // namespace datum::iwarp::test::startup
