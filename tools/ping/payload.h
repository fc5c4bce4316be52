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
inline constexpr char kHello[] = "dat-ping 1"; // the program and the version of its protocol
inline constexpr unsigned kProtocolVersion = 1;

// Writes a sequence number, then bytes that depend on that number and on their place.
void fill(std::span<std::byte> bytes, std::uint64_t sequence);

// The sequence number; empty: a byte differs from what fill() wrote.
std::optional<std::uint64_t> check(std::span<const std::byte> bytes);

} // namespace datum::ping
