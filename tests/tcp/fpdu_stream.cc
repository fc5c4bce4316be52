// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fpdu_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace datum::test {
namespace {

constexpr std::uint64_t kMarkerEvery = 512;
constexpr std::size_t kUnit = 4; // the size of each part of an FPDU is a multiple of kUnit

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1U) ^ ((value & 1U) != 0 ? 0x82f63b78U : 0U);
    table[i] = value;
  }
  return table;
}

} // namespace

std::uint32_t crc32c(const Octets& octets) {
  static constexpr auto kTable = crc_table();
  std::uint32_t value = 0xffffffffU;
  for (const std::uint8_t octet : octets) value = (value >> 8U) ^ kTable[(value ^ octet) & 0xffU];
  return ~value;
}

void FpduStream::begin(bool crc, bool markers) {
  crc_ = crc;
  markers_ = markers;
}

void FpduStream::say(Octets fpdu) {
  if (crc_) {
    fpdu.resize(fpdu.size() - kUnit);
    const std::uint32_t crc = crc32c(fpdu);
    for (unsigned i = 0; i < kUnit; ++i) fpdu.push_back(static_cast<std::uint8_t>(crc >> (8 * i)));
  }
  EXPECT_TRUE(peer_.say(fpdu)) << "nobody takes it";
}

bool FpduStream::take(std::size_t octets, Octets& into) {
  const std::size_t had = into.size();
  into.resize(had + octets);
  const ssize_t got = ::recv(peer_.socket(), into.data() + had, octets, MSG_WAITALL);
  into.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  offset_ += into.size() - had;
  return into.size() == had + octets;
}

// Reads four octets of the FPDU, and the marker before them if one is due. A marker right before an
// FPDU points to that FPDU. The CRC covers all markers, also a marker right before the CRC.
bool FpduStream::take_unit(Octets& into, Octets& covered) {
  if (markers_ && offset_ % kMarkerEvery == 0) {
    const std::uint64_t pointer = start_ ? offset_ - *start_ : 0;
    Octets marker;
    if (!take(kUnit, marker)) return false;
    EXPECT_EQ(marker, (Octets{0, 0, static_cast<std::uint8_t>(pointer >> 8U),
                              static_cast<std::uint8_t>(pointer & 0xffU)}))
        << "marker at " << offset_ - kUnit;
    covered.insert(covered.end(), marker.begin(), marker.end());
    ++markers_heard_;
  }
  return take(kUnit, into);
}

std::optional<Octets> FpduStream::hear() {
  const std::uint64_t began = offset_;
  start_.reset();
  Octets unit;
  Octets covered;
  if (!take_unit(unit, covered)) {
    EXPECT_EQ(offset_, began) << "the stream ends within an FPDU";
    return std::nullopt;
  }
  start_ = offset_ - kUnit;
  covered.insert(covered.end(), unit.begin(), unit.end());
  const std::size_t length = unit[0] * 256U + unit[1];
  const std::size_t units = (2 + length + 3) / kUnit;
  Octets fpdu = unit;
  for (std::size_t i = 1; i < units; ++i) {
    unit.clear();
    if (!take_unit(unit, covered)) {
      ADD_FAILURE() << "the stream ends within an FPDU";
      return std::nullopt;
    }
    fpdu.insert(fpdu.end(), unit.begin(), unit.end());
    covered.insert(covered.end(), unit.begin(), unit.end());
  }
  Octets trailer;
  if (!take_unit(trailer, covered)) {
    ADD_FAILURE() << "the stream ends before a CRC";
    return std::nullopt;
  }
  if (crc_) {
    std::uint32_t said = 0; // the lowest octet comes first
    for (auto octet = trailer.rbegin(); octet != trailer.rend(); ++octet)
      said = said << 8U | *octet;
    EXPECT_EQ(said, crc32c(covered));
  }
  for (std::size_t i = 2 + length; i < fpdu.size(); ++i) EXPECT_EQ(fpdu[i], 0) << "pad";
  last_size_ = offset_ - began;
  return Octets(fpdu.begin() + 2, fpdu.begin() + 2 + static_cast<std::ptrdiff_t>(length));
}

} // namespace datum::test
