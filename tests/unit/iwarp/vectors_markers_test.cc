// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The frames of frames.h that have markers, checked against RFC 5044 section 4.3. Datum never asks
// for markers, so no decoder of its own would find an error in these frames.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>

#include "frames.h"
#include "stand_in.h"

namespace datum::iwarp::test {
namespace {

constexpr std::size_t kMarkerEvery = 512;
constexpr std::size_t kMarkerField = 4;
constexpr std::size_t kCrcField = 4;

// Computes the CRC bit by bit, without the code of the product.
std::uint32_t plain_crc32c(Octets octets) {
  std::uint32_t crc = 0xffffffff;
  for (const std::byte octet : octets) {
    crc ^= static_cast<std::uint32_t>(octet);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0x82f63b78U : 0U);
  }
  return ~crc;
}

// One FPDU without its markers, and the markers.
struct Stripped {
  Bytes octets;
  std::vector<std::uint32_t> markers;  // all 32 bits: the reserved ones, and FPDUPTR
  std::vector<std::uint32_t> expected; // the distance of each from the length field, in octets
};

// `position`: where the first octet of the FPDU is in its stream.
Stripped strip_markers(Octets fpdu, std::size_t position) {
  Stripped out;
  const std::size_t begin = position % kMarkerEvery == 0 ? kMarkerField : 0; // of the length field
  for (std::size_t at = 0; at < fpdu.size();) {
    if ((position + at) % kMarkerEvery != 0) {
      out.octets.push_back(fpdu[at++]);
      continue;
    }
    std::uint32_t marker = 0;
    for (std::size_t i = 0; i < kMarkerField; ++i)
      marker = marker << 8U | static_cast<std::uint32_t>(fpdu[at + i]);
    out.markers.push_back(marker);
    out.expected.push_back(static_cast<std::uint32_t>(at < begin ? 0 : at - begin));
    at += kMarkerField;
  }
  return out;
}

// Length, control, the untagged header, payload and pad, as RFC 5041 section 4.3 draws them.
std::string plain_fpdu(const FpduVector& vector) {
  const std::string payload = vector.payload;
  const std::size_t ulpdu = 18 + payload.size() / 2;
  std::array<char, 64> header;
  std::snprintf(header.data(), header.size(), "%04zx%02x%02x%08x%08x%08x%08x", ulpdu,
                vector.last ? 0x41U : 0x01U, 0x40U | vector.opcode, vector.stag, vector.queue,
                vector.msn, vector.message_offset);
  const std::size_t pad = (4 - (2 + ulpdu) % 4) % 4;
  return header.data() + payload + std::string(2 * pad, '0');
}

// Rules: iwarp.V6
TEST(IwarpMarkers, OfKnownFramesAreWhereAndWhatTheyShouldBe) {
  const std::map<std::string, std::vector<std::uint32_t>> pointers = {
      {"marker_fig5_send", {0}},  {"marker_send_600", {460}},    {"marker_before_crc", {0, 508}},
      {"marker_none_inside", {}}, {"marker_between_fpdus", {0}},
  };
  std::map<char, std::size_t> positions;
  std::size_t seen = 0;
  for (const FpduVector& vector : kFpduVectors) {
    if (!vector.markers) continue;
    SCOPED_TRACE(vector.name);
    ++seen;
    ASSERT_TRUE(pointers.contains(vector.name));
    ASSERT_FALSE(vector.tagged);
    ASSERT_TRUE(vector.crc);
    const Bytes octets = from_hex(vector.octets);
    std::size_t& position = positions[vector.connection];
    Stripped stripped = strip_markers(octets, position);
    position += octets.size();
    EXPECT_EQ(stripped.markers, pointers.at(vector.name));
    EXPECT_EQ(stripped.markers, stripped.expected);

    // The CRC covers the markers. Its least significant octet comes first.
    std::uint32_t crc = 0;
    for (std::size_t i = 0; i < kCrcField; ++i)
      crc |= static_cast<std::uint32_t>(octets[octets.size() - kCrcField + i]) << 8U * i;
    EXPECT_EQ(crc, plain_crc32c(Octets(octets).first(octets.size() - kCrcField)));

    ASSERT_GE(stripped.octets.size(), kCrcField);
    stripped.octets.resize(stripped.octets.size() - kCrcField);
    EXPECT_EQ(to_hex(stripped.octets), plain_fpdu(vector));
  }
  EXPECT_EQ(seen, pointers.size());
}

} // namespace
} // namespace datum::iwarp::test
