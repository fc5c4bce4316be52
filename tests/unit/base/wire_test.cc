// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Integers in network byte order, and a reader that stops at the end of the octets.
#include "base/wire.h"

#include <gtest/gtest.h>

#include <array>

namespace datum {
namespace {

template <class... Octet>
constexpr std::array<std::byte, sizeof...(Octet)> bytes(Octet... octet) {
  return {std::byte{static_cast<unsigned char>(octet)}...};
}

TEST(Wire, WritesTheMostSignificantOctetFirst) {
  std::array<std::byte, 15> octets{};
  WireWriter out(octets.data());
  out.u8(0x01).u16(0x0203).u32(0x04050607).u64(0x08090a0b0c0d0e0f);
  EXPECT_EQ(out.at(), octets.data() + octets.size());
  EXPECT_EQ(octets, bytes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(octets_of(std::int16_t{-2}), bytes(0xff, 0xfe));
}

TEST(Wire, ReadsWhatWasWritten) {
  const auto octets = bytes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  WireReader in(octets);
  std::uint8_t a = 0;
  std::uint16_t b = 0;
  std::uint32_t c = 0;
  std::uint64_t d = 0;
  EXPECT_TRUE(in.u8(a) && in.u16(b) && in.u32(c) && in.u64(d));
  EXPECT_EQ(a, 0x01U);
  EXPECT_EQ(b, 0x0203U);
  EXPECT_EQ(c, 0x04050607U);
  EXPECT_EQ(d, 0x08090a0b0c0d0e0fU);
  EXPECT_TRUE(in.left().empty());
}

TEST(Wire, ReadsNothingPastTheEnd) {
  const auto octets = bytes(0xff, 0xfe, 0xfd);
  WireReader in(octets);
  std::uint32_t whole = 7;
  std::span<const std::byte> some;
  EXPECT_FALSE(in.u32(whole));
  EXPECT_FALSE(in.octets(4, some));
  EXPECT_EQ(whole, 7U);
  EXPECT_EQ(in.left().size(), 3U) << "a read that fails takes nothing";
  std::int16_t number = 0;
  EXPECT_TRUE(in.number(number));
  EXPECT_EQ(number, -2);
  EXPECT_TRUE(in.octets(1, some));
  EXPECT_EQ(some[0], std::byte{0xfd});
}

} // namespace
} // namespace datum
