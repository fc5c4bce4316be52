// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/wire.h: big-endian integers and octets, written and read in order.
// Not here:   their meaning; the CRC field of iWARP, and what processes of one host send to each
//             other, which are little-endian (iwarp/fpdu.h, shm/handshake_wire.cc).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace datum {

// Compilers turn this into one swap and one store. They do not do that for a loop over octets.
template <std::unsigned_integral T>
constexpr T big_endian(T value) {
  if constexpr (std::endian::native == std::endian::big || sizeof value == 1) return value;
  if constexpr (sizeof value == 2) return __builtin_bswap16(value);
  if constexpr (sizeof value == 4) return __builtin_bswap32(value);
  if constexpr (sizeof value == 8) return __builtin_bswap64(value);
}

template <std::integral T>
constexpr std::array<std::byte, sizeof(T)> octets_of(T value) {
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(
      big_endian(static_cast<std::make_unsigned_t<T>>(value)));
}

// Writes octets in order. The caller makes sure that there is room.
class WireWriter {
 public:
  constexpr explicit WireWriter(std::byte* at) : at_(at) {}
  constexpr WireWriter& u8(std::uint8_t value) { return octets(octets_of(value)); }
  constexpr WireWriter& u16(std::uint16_t value) { return octets(octets_of(value)); }
  constexpr WireWriter& u32(std::uint32_t value) { return octets(octets_of(value)); }
  constexpr WireWriter& u64(std::uint64_t value) { return octets(octets_of(value)); }
  constexpr WireWriter& octets(std::span<const std::byte> from) {
    at_ = std::copy(from.begin(), from.end(), at_);
    return *this;
  }
  constexpr std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

// Reads octets in order, never past the end. False: there are too few octets.
class WireReader {
 public:
  constexpr explicit WireReader(std::span<const std::byte> from) : left_(from) {}
  template <std::integral T> // before its callers: Clang 14 needs that in constant expressions
  constexpr bool number(T& value) {
    std::span<const std::byte> read;
    if (!octets(sizeof value, read)) return false;
    std::array<std::byte, sizeof value> whole;
    std::copy(read.begin(), read.end(), whole.begin());
    value = static_cast<T>(big_endian(std::bit_cast<std::make_unsigned_t<T>>(whole)));
    return true;
  }
  constexpr bool u8(std::uint8_t& value) { return number(value); }
  constexpr bool u16(std::uint16_t& value) { return number(value); }
  constexpr bool u32(std::uint32_t& value) { return number(value); }
  constexpr bool u64(std::uint64_t& value) { return number(value); }
  constexpr bool octets(std::size_t count, std::span<const std::byte>& value) {
    if (left_.size() < count) return false;
    value = left_.first(count);
    left_ = left_.subspan(count);
    return true;
  }
  constexpr std::span<const std::byte> left() const { return left_; }

 private:
  std::span<const std::byte> left_;
};

// For a static_assert beside each record: reading back what was written gives an equal record.
template <class T>
constexpr bool round_trips(const T& value) {
  std::byte octets[T::kWireSize] = {};
  WireWriter out(octets);
  encode(value, out);
  T read;
  WireReader in(octets);
  return out.at() == octets + T::kWireSize && decode(in, read) && read == value;
}

} // namespace datum
