// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The first FPDU of a connection: which side sends it, what it establishes, and what becomes of a
// connection where it is bad or does not come.
#include <gtest/gtest.h>

#include "startup_sides.h"

namespace datum::iwarp::test::startup {
namespace {

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

// Rules: iwarp.S26
TEST(IwarpStartup, FirstFpduThatIsRefusedEstablishesNothing) {
  Responder side("5002000480048004");
  // The Terminate of an initiator that cannot go on.
  side.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("20060000")));
  EXPECT_EQ(side.events.log().back(), "failed: non-peer rejected");
  EXPECT_EQ(side.events.log().size(), 1U);
}

// --- a first FPDU that is bad --------------------------------------------------------------------

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

// --- a first FPDU that does not come ------------------------------------------------------------

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

} // namespace
} // namespace datum::iwarp::test::startup
