// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An FPDU that has begun and does not go on ends the connection; one that goes on slowly does not.
#include <gtest/gtest.h>

#include "ending_sides.h"

namespace datum::iwarp::test::ending {
namespace {

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

} // namespace
} // namespace datum::iwarp::test::ending
