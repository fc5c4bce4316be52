// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/payload.h"

namespace datum::ping {
namespace {

std::byte byte_at(std::uint64_t sequence, std::size_t place) {
  if (place < kLeast) return static_cast<std::byte>(sequence >> (8 * place));
  return static_cast<std::byte>((sequence * 131 + place * 7) ^ (place >> 8U));
}

} // namespace

void fill(std::span<std::byte> bytes, std::uint64_t sequence) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_at(sequence, i);
}

std::optional<std::uint64_t> check(std::span<const std::byte> bytes) {
  if (bytes.size() < kLeast) return std::nullopt;
  std::uint64_t sequence = 0;
  for (std::size_t i = 0; i < kLeast; ++i)
    sequence |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  for (std::size_t i = kLeast; i < bytes.size(); ++i)
    if (bytes[i] != byte_at(sequence, i)) return std::nullopt;
  return sequence;
}

} // namespace datum::ping
