// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/wire.h: big-endian integers on the stream.
// Not here: the CRC field, the one that is little-endian (fpdu.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace datum::iwarp {

using Octets = std::span<const std::byte>;

constexpr std::uint8_t big_endian(std::uint8_t value) {
  return value;
}
constexpr std::uint16_t big_endian(std::uint16_t value) {
  return std::endian::native == std::endian::big ? value : __builtin_bswap16(value);
}
constexpr std::uint32_t big_endian(std::uint32_t value) {
  return std::endian::native == std::endian::big ? value : __builtin_bswap32(value);
}
constexpr std::uint64_t big_endian(std::uint64_t value) {
  return std::endian::native == std::endian::big ? value : __builtin_bswap64(value);
}

// The caller knows that there is room.
class WireWriter {
  // Of a whole integer's octets compilers make one swap and one store; of a loop over them they do
  // not.
  template <class T>
  constexpr WireWriter& put(T value) {
    return octets(std::bit_cast<std::array<std::byte, sizeof(T)>>(big_endian(value)));
  }

 public:
  constexpr explicit WireWriter(std::byte* at) : at_(at) {}
  constexpr WireWriter& u8(std::uint8_t value) { return put(value); }
  constexpr WireWriter& u16(std::uint16_t value) { return put(value); }
  constexpr WireWriter& u32(std::uint32_t value) { return put(value); }
  constexpr WireWriter& u64(std::uint64_t value) { return put(value); }
  constexpr WireWriter& octets(Octets from) {
    at_ = std::copy(from.begin(), from.end(), at_);
    return *this;
  }
  constexpr std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

// Every read says whether there was as much; nothing is read past the end.
class WireReader {
  template <class T>
  constexpr bool take(T& value) {
    Octets read;
    if (!octets(sizeof value, read)) return false;
    std::array<std::byte, sizeof value> whole;
    std::copy(read.begin(), read.end(), whole.begin());
    value = big_endian(std::bit_cast<T>(whole));
    return true;
  }

 public:
  constexpr explicit WireReader(Octets from) : left_(from) {}
  constexpr bool u8(std::uint8_t& value) { return take(value); }
  constexpr bool u16(std::uint16_t& value) { return take(value); }
  constexpr bool u32(std::uint32_t& value) { return take(value); }
  constexpr bool u64(std::uint64_t& value) { return take(value); }
  constexpr bool octets(std::size_t count, Octets& value) {
    if (left_.size() < count) return false;
    value = left_.first(count);
    left_ = left_.subspan(count);
    return true;
  }
  constexpr Octets left() const { return left_; }

 private:
  Octets left_;
};

// For static_assert beside each record: what is written reads back equal.
template <class T>
constexpr bool round_trips(const T& value) {
  std::byte octets[T::kWireSize] = {};
  WireWriter out(octets);
  encode(value, out);
  T read;
  WireReader in(octets);
  return out.at() == octets + T::kWireSize && decode(in, read) && read == value;
}

} // namespace datum::iwarp
