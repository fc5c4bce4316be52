// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The recorded octets of the first release over TCP. A session of today sends the same octets, and
// understands them.
#include <gtest/gtest.h>

#include "pair.h"
#include "versions/recorded.h"

namespace datum::iwarp::test {
namespace {

using datum::test::hex_of;
using datum::test::kRaise;
using datum::test::recorded;
using datum::test::recorded_hex;

constexpr Wishes kWishes{.reads_in = 16, .reads_out = 16};

// Rules: VERSION.7
TEST(RecordedTcp, AnInitiatorSaysWhatThatOfTheFirstReleaseSays) {
  Side side;
  side.session.connect({}, kWishes, side.events, 0);
  EXPECT_EQ(to_hex(side.take_output()), recorded_hex("tcp-request")) << kRaise;
  side.feed(recorded("tcp-reply"));
  EXPECT_EQ(to_hex(side.take_output()), recorded_hex("tcp-hello")) << kRaise;
}

// Rules: VERSION.7
TEST(RecordedTcp, AResponderSaysWhatThatOfTheFirstReleaseSays) {
  Side side;
  side.session.expect_request(0);
  side.feed(recorded("tcp-request"));
  side.session.accept({}, kWishes, side.events, 0);
  EXPECT_EQ(to_hex(side.take_output()), recorded_hex("tcp-reply")) << kRaise;
  side.feed(recorded("tcp-hello"));
  EXPECT_TRUE(side.session.peer_is_own()) << kRaise;
  EXPECT_EQ(to_hex(side.take_output()), recorded_hex("tcp-hello")) << kRaise;
  // tcp-ack is left out: it acknowledges seven messages, and the session has sent none.
  side.feed(recorded("tcp-close"));
  EXPECT_TRUE(side.session.peer_is_own());
}

// Rules: VERSION.7
TEST(RecordedTcp, AcknowledgementsAndClosesAreThoseOfTheFirstRelease) {
  EXPECT_EQ(to_hex(fpdu(tagged(Rdmap::Write, kAckStag, encode_ack(7)))), recorded_hex("tcp-ack"))
      << kRaise;
  EXPECT_EQ(to_hex(fpdu(tagged(Rdmap::Write, kCloseStag, 0))), recorded_hex("tcp-close")) << kRaise;
}

// Rules: VERSION.7
TEST(RecordedTcp, ARefusalIsThatOfTheFirstRelease) {
  std::byte octets[kRefusalSize];
  WireWriter out(octets);
  encode(Refusal::NotHere, out);
  EXPECT_EQ(hex_of(octets), recorded_hex("tcp-refusal")) << kRaise;
  Refusal refusal{};
  ASSERT_TRUE(decode(recorded("tcp-refusal"), refusal));
  EXPECT_EQ(static_cast<int>(refusal), 2);
}

// A Hello of another version gets no Hello in return. The session serves the peer as a foreign one.
// Rules: VERSION.8
TEST(RecordedTcp, APeerWhoseHelloHasAnotherNumberIsServed) {
  Side side;
  side.session.expect_request(0);
  side.feed(recorded("tcp-request"));
  side.session.accept({}, kWishes, side.events, 0);
  side.take_output();
  // Version 2, no flags, ULPDUs up to 65535.
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0x445457502000ffff)));
  EXPECT_FALSE(side.session.peer_is_own());
  EXPECT_FALSE(side.session.has_output());
  side.events.post_receive(10);
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1), pattern(10, 1, 1)));
  EXPECT_EQ(side.events.log().back(), "received 10");
}

} // namespace
} // namespace datum::iwarp::test
