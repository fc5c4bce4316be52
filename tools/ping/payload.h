// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/payload.h: the bytes of a ping, and whether they came back unchanged. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace datum::ping {

inline constexpr std::size_t kLeast = 8; // the sequence number
inline constexpr std::size_t kMost = std::size_t{1} << 20U;
inline constexpr char kHello[] = "dat-ping 1"; // the program and its protocol's version
inline constexpr unsigned kProtocolVersion = 1;

// A sequence number, then bytes that differ from ping to ping and from place to place.
void fill(std::span<std::byte> bytes, std::uint64_t sequence);

// The number in it; nothing if any byte is not as fill() left it.
std::optional<std::uint64_t> check(std::span<const std::byte> bytes);

} // namespace datum::ping
