// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The TCP ports that stand for a qualifier, and the prefix of a request to one of them
// (docs/design/tcp.md).
#include "transport/tcp/qualifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "versions/recorded.h"

namespace datum {
namespace {

// Rules: tcp.Q1
TEST(TcpQualifier, SixteenBitsButZeroAreThePort) {
  EXPECT_FALSE(is_port(0));
  EXPECT_TRUE(is_port(1));
  EXPECT_TRUE(is_port(65535));
  EXPECT_FALSE(is_port(65536));
  EXPECT_FALSE(is_port(~ConnQual{0}));
}

// Rules: tcp.Q2
TEST(TcpQualifier, CandidatesAreTheSameEverywhere) {
  // splitmix64 of the qualifier, into 16384..24575.
  const Candidates expected{18951, 24486, 17052, 18166, 20367, 19072, 22855, 20286};
  EXPECT_EQ(candidate_ports(0x123456789aULL, kMappedPorts), expected);
  EXPECT_NE(candidate_ports(0x123456789bULL, kMappedPorts), expected);
}

// Rules: tcp.Q2
TEST(TcpQualifier, CandidatesLieInTheRange) {
  for (ConnQual qualifier = 65536; qualifier < 66536; ++qualifier) {
    for (const std::uint16_t port : candidate_ports(qualifier, {20000, 20009})) {
      EXPECT_GE(port, 20000);
      EXPECT_LE(port, 20009);
    }
    for (const std::uint16_t port : candidate_ports(qualifier, {65535, 65535}))
      EXPECT_EQ(port, 65535);
  }
}

// Rules: tcp.Q3
TEST(TcpQualifier, PrefixNamesIt) {
  std::vector<std::byte> data(20);
  encode_prefix(0x0102030405060708, data.data());
  const unsigned char expected[] = {'D', 'T', 'C', 'Q', 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(std::equal(std::begin(expected), std::end(expected), data.begin(),
                         [](unsigned char a, std::byte b) { return std::byte{a} == b; }));
  EXPECT_TRUE(has_prefix(data, 0x0102030405060708));
  EXPECT_TRUE(has_prefix(std::span(data).first(16), 0x0102030405060708));
  EXPECT_FALSE(has_prefix(std::span(data).first(15), 0x0102030405060708));
  EXPECT_FALSE(has_prefix({}, 0x0102030405060708));
  EXPECT_FALSE(has_prefix(data, 0x0102030405060709));
  for (std::size_t i = 0; i < 16; ++i) {
    data[i] ^= std::byte{1};
    EXPECT_FALSE(has_prefix(data, 0x0102030405060708)) << i;
    data[i] ^= std::byte{1};
  }
}

// Rules: VERSION.9
TEST(RecordedTcp, APrefixIsThatOfTheFirstRelease) {
  std::byte octets[QualifierPrefix::kWireSize];
  encode_prefix(0x0102030405060708, octets);
  EXPECT_EQ(test::hex_of(octets), test::recorded_hex("tcp-prefix")) << test::kRaise;
  EXPECT_TRUE(has_prefix(test::recorded("tcp-prefix"), 0x0102030405060708));
}

// Rules: tcp.Q8
TEST(TcpQualifier, PrefixIsKnownWhateverItNames) {
  std::vector<std::byte> data(16);
  encode_prefix(~ConnQual{0}, data.data());
  EXPECT_TRUE(has_prefix(data));
  EXPECT_FALSE(has_prefix(std::span(data).first(15)));
  EXPECT_FALSE(has_prefix({}));
  for (std::size_t i = 0; i < 16; ++i) {
    data[i] ^= std::byte{1};
    EXPECT_EQ(has_prefix(data), i >= 8) << i;
    data[i] ^= std::byte{1};
  }
}

} // namespace
} // namespace datum
