// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The checks C35 to C38, at the end of an FPDU or of a connection: Terminates, the CRC, and the
// STag that a delivered message invalidates.
#include <gtest/gtest.h>

#include "checked_frames.h"

namespace datum::iwarp::test::checks {
namespace {

// Rules: iwarp.C35
TEST(IwarpChecks, C35TerminateIsParsedWithinItsLengthAndNeverAnswered) {
  // The first three payloads announce a header or a Read Request that is missing or cut off. The
  // last two are too short for the control field. Each comes with a wrong queue, MSN and offset.
  for (const char* payload : {"1101c000", "1101e0000022", "1101e0000022c14012345601", "11", ""}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
      Target target;
      target.feed(fpdu(untagged(Rdmap::Terminate, 5, 9, 3), from_hex(payload)), piece);
      EXPECT_EQ(target.terminate_code(), "");
      EXPECT_EQ(target.events.log(), Log{"broken"});
      EXPECT_TRUE(target.session.wants_shutdown());
      EXPECT_EQ(target.session.odd_terminate(), untagged(Rdmap::Terminate, 5, 9, 3));
    }
  }
  // This Terminate is longer than any that RFC 5040 defines.
  Target target;
  target.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), Bytes(3000, std::byte{0xff})), 7);
  EXPECT_EQ(target.terminate_code(), "");
  EXPECT_EQ(target.events.log(), Log{"broken"});
  EXPECT_EQ(target.session.odd_terminate(), std::nullopt);
}

// Rules: iwarp.C35
TEST(IwarpChecks, C35ATerminateThatNoSegmentMayBringIsNoticedAndCounts) {
  for (const UntaggedHeader& odd :
       {untagged(Rdmap::Terminate, 0, 1), untagged(Rdmap::Terminate, 2, 0),
        untagged(Rdmap::Terminate, 2, 2), untagged(Rdmap::Terminate, 2, 1, 1),
        untagged(Rdmap::Terminate, 2, 1, 0, false)}) {
    Target target;
    target.feed(fpdu(odd, from_hex("01010000")));
    EXPECT_EQ(target.session.odd_terminate(), odd);
    EXPECT_EQ(target.session.last_error(), (ErrorCode{0, 1, 1}));
    EXPECT_EQ(target.events.log(), Log{"broken"});
  }
}

// Rules: iwarp.C36
TEST(IwarpChecks, C36CrcBeforeDelivery) {
  const auto corrupt = [](Bytes octets) {
    octets[octets.size() - 1] ^= std::byte{1};
    return octets;
  };
  expect_refused([&](Target&) { return Several{corrupt(send(1, 4))}; }, {"2/0/02", false});
  expect_refused([&](Target& t) { return Several{corrupt(write(kRegion, t.base(), 100))}; },
                 {"2/0/02", false});
  expect_refused([&](Target& t) { return Several{corrupt(read_request(kRegion, t.base(), 4))}; },
                 {"2/0/02", false});
  expect_refused(
      [&](Target&) { return Several{corrupt(fpdu(untagged(Rdmap::Terminate, 2, 1), Bytes(4)))}; },
      {"2/0/02", false});
  // The CRC covers the pad.
  expect_refused(
      [&](Target&) {
        Bytes octets = send(1, 3);
        octets[octets.size() - 5] = std::byte{1};
        return Several{octets};
      },
      {"2/0/02", false});
  // A wrong MSN is reported before a wrong CRC.
  expect_refused([&](Target&) { return Several{corrupt(send(9, 4))}; }, {"1/2/03"});
}

// Rules: iwarp.C36
TEST(IwarpChecks, C36TheLastLineOfAWriteWaitsForTheCrc) {
  Target target;
  const auto* memory = reinterpret_cast<const std::byte*>(target.base());
  Bytes octets = write(kRegion, target.base(), 200);
  octets.back() ^= std::byte{1};
  target.feed(octets, 1);
  EXPECT_EQ(target.terminate_code(), "2/0/02");
  EXPECT_EQ(to_hex(Octets(memory + 192, 8)), "0000000000000000");
}

// Rules: iwarp.C36
TEST(IwarpChecks, C36WithoutCrcTheFieldIsNotLookedAt) {
  SessionSettings settings;
  settings.crc = false;
  Side side(settings);
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d6500010000"); // a request without C
  side.session.accept({}, {}, side.events, 0);
  EXPECT_EQ(to_hex(side.take_output()), "4d504120494420526570204672616d6500010000");
  side.events.take_log();
  side.events.post_receive(8);
  Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1), pattern(4, 1, 1), false);
  octets[octets.size() - 1] = std::byte{0x5a};
  side.feed(octets, 3);
  EXPECT_EQ(side.events.log(), Log{"received 4"});
}

// Rules: iwarp.C37
TEST(IwarpChecks, C37NothingAfterATerminateIsLookedAt) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
    Target target;
    Bytes octets = fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("00000000"));
    for (const Bytes& more : {send(1, 4), Bytes(100, std::byte{0xee})})
      octets.insert(octets.end(), more.begin(), more.end());
    target.feed(octets, piece);
    EXPECT_EQ(target.events.log(), Log{"broken"});
    EXPECT_EQ(target.terminate_code(), "");
    EXPECT_EQ(target.held_back(), 0U) << "it is taken, and thrown away";
  }
}

// Rules: iwarp.C38
TEST(IwarpChecks, C38InvalidationAtDelivery) {
  struct Setting {
    AccessFault answer;
    const char* code;
  };
  UntaggedHeader header = untagged(Rdmap::SendInvalidate, 0, 1);
  header.invalidate = 0x4711;
  for (const Setting& setting :
       {Setting{AccessFault::BadStag, "0/2/09"}, Setting{AccessFault::WrongZone, "0/1/09"}})
    expect_refused(
        [&](Target& t) {
          t.events.invalidation = setting.answer;
          return Several{fpdu(header, Bytes(4))};
        },
        {.code = setting.code, .log = {"receive failed: status 4", "broken"}});
  expect_taken([&](Target&) { return Several{fpdu(header, Bytes(4))}; },
               {"invalidated 18193", "received 4"});
  header.control.opcode = Rdmap::SendSolicitedInvalidate;
  expect_taken([&](Target&) { return Several{fpdu(header, Bytes(4))}; },
               {"invalidated 18193", "received 4 solicited"});
}

} // namespace
} // namespace datum::iwarp::test::checks
