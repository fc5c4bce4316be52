// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// handshake_wire.h: the messages of the handshake, octet by octet.
#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>

#include "transport/shm/handshake_wire.h"

namespace datum::test {
namespace {

using GreetingBytes = std::array<std::byte, 104>;
using AgreementBytes = std::array<std::byte, 12>;

Greeting a_greeting() {
  Greeting greeting;
  greeting.preamble = {1, MessageKind::Answer, DialVerdict::Existing};
  greeting.id = {0x1122334455667788, 0x99aabbccddeeff00};
  greeting.address.bytes[0] = std::byte{2};
  greeting.address.bytes[31] = std::byte{0x5a};
  greeting.direct = {0x0102030405060708, 0x7fff00001000, 1, 77, 78, 5, 6};
  return greeting;
}

TEST(HandshakeWire, AGreetingHasTheseOctets) {
  GreetingBytes bytes{};
  encode(a_greeting(), bytes);
  const std::array<unsigned, 24> head{0x44, 0x54, 0x48, 0x53, 1,    0,    2,    1,
                                      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
                                      0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99};
  for (std::size_t i = 0; i < head.size(); ++i)
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), head[i]) << "octet " << i;
  EXPECT_EQ(bytes[24], std::byte{2});
  EXPECT_EQ(bytes[55], std::byte{0x5a});
  EXPECT_EQ(bytes[56], std::byte{0x08});
  EXPECT_EQ(bytes[63], std::byte{0x01});
  EXPECT_EQ(bytes[80], std::byte{77});
  EXPECT_EQ(bytes[96], std::byte{5});
  EXPECT_EQ(bytes[100], std::byte{6});
}

TEST(HandshakeWire, WhatWasEncodedIsDecoded) {
  GreetingBytes bytes{};
  encode(a_greeting(), bytes);
  Greeting greeting;
  ASSERT_TRUE(decode(bytes, greeting));
  EXPECT_EQ(greeting, a_greeting());

  Agreement offer;
  offer.preamble = {1, MessageKind::Offer, DialVerdict::Fresh};
  offer.has_direct = true;
  AgreementBytes short_bytes{};
  encode(offer, short_bytes);
  Agreement decoded;
  ASSERT_TRUE(decode(short_bytes, decoded));
  EXPECT_EQ(decoded, offer);
}

// The words of a segment have the byte order of the host.
TEST(HandshakeWire, TheOtherOrderOfOctetsIsAnotherVersion) {
  EXPECT_EQ(kHandshakeVersion, std::endian::native == std::endian::little ? 0x0001 : 0x8001);
  constexpr std::uint16_t kOther = std::endian::native == std::endian::little ? 0x8001 : 0x0001;
  EXPECT_STREQ(remedy_for(kOther), "the two processes have different orders of octets, which "
                                   "cannot share memory; set DATUM_TRANSPORT=tcp for both");
  EXPECT_STREQ(remedy_for(kHandshakeVersion + 1),
               "install the same Datum for both, or let both use TCP (DATUM_TRANSPORT=auto)");
}

TEST(HandshakeWire, EveryOtherLengthIsRefused) {
  std::array<std::byte, 105> bytes{};
  encode(a_greeting(), std::span(bytes).first<104>());
  Greeting greeting;
  for (std::size_t length = 0; length <= 105; ++length)
    EXPECT_EQ(decode(std::span(bytes).first(length), greeting), length == 104) << length;
}

TEST(HandshakeWire, ValuesThatCannotBeAreRefused) {
  Greeting ours = a_greeting();
  ours.preamble.version = kHandshakeVersion; // for another version only the preamble is checked
  GreetingBytes good{};
  encode(ours, good);
  Greeting greeting;
  const auto spoiled = [&](std::size_t at, unsigned value) {
    GreetingBytes bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    return decode(bytes, greeting);
  };
  EXPECT_FALSE(spoiled(0, 0x45)); // magic
  EXPECT_FALSE(spoiled(6, 0));    // no kind
  EXPECT_FALSE(spoiled(6, 3));    // a kind, but of the other message
  EXPECT_FALSE(spoiled(6, 5));
  EXPECT_FALSE(spoiled(7, 5));     // no verdict
  EXPECT_FALSE(spoiled(99, 0x80)); // a negative descriptor other than -1
  EXPECT_TRUE(spoiled(4, 9));      // another version still has a preamble
}

TEST(HandshakeWire, UnknownFlagsOfAnAgreementAreRefused) {
  AgreementBytes bytes{};
  Agreement ready;
  ready.preamble.kind = MessageKind::Ready;
  encode(ready, bytes);
  EXPECT_TRUE(decode(bytes, ready));
  bytes[8] = std::byte{2};
  EXPECT_FALSE(decode(bytes, ready));
}

} // namespace
} // namespace datum::test
