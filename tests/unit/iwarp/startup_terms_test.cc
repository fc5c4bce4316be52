// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the two sides agree on in request and reply: whether there are CRCs, and how many Reads each
// side serves and uses (IRD and ORD).
#include <gtest/gtest.h>

#include "startup_sides.h"

namespace datum::iwarp::test::startup {
namespace {

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

} // namespace
} // namespace datum::iwarp::test::startup
