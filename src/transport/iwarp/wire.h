// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/wire.h: big-endian integers on the stream.
// Not here: the CRC field, the one that is little-endian (fpdu.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace datum::iwarp {

using Octets = std::span<const std::byte>;

// The caller knows that there is room.
class WireWriter {
  template <unsigned kSize>
  constexpr WireWriter& put(std::uint64_t value) {
    for (unsigned i = 0; i < kSize; ++i)
      at_[i] = static_cast<std::byte>((value >> (8 * (kSize - 1 - i))) & 0xffU);
    at_ += kSize;
    return *this;
  }

 public:
  constexpr explicit WireWriter(std::byte* at) : at_(at) {}
  constexpr WireWriter& u8(std::uint8_t value) { return put<1>(value); }
  constexpr WireWriter& u16(std::uint16_t value) { return put<2>(value); }
  constexpr WireWriter& u32(std::uint32_t value) { return put<4>(value); }
  constexpr WireWriter& u64(std::uint64_t value) { return put<8>(value); }
  constexpr WireWriter& octets(Octets from) {
    for (const std::byte octet : from) *at_++ = octet;
    return *this;
  }
  constexpr std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

// Every read says whether there was as much; nothing is read past the end.
class WireReader {
  template <unsigned kSize, class T>
  constexpr bool take(T& value) {
    if (left_.size() < kSize) return false;
    std::uint64_t read = 0;
    for (unsigned i = 0; i < kSize; ++i)
      read = read << 8U | std::to_integer<std::uint64_t>(left_[i]);
    value = static_cast<T>(read);
    left_ = left_.subspan(kSize);
    return true;
  }

 public:
  constexpr explicit WireReader(Octets from) : left_(from) {}
  constexpr bool u8(std::uint8_t& value) { return take<1>(value); }
  constexpr bool u16(std::uint16_t& value) { return take<2>(value); }
  constexpr bool u32(std::uint32_t& value) { return take<4>(value); }
  constexpr bool u64(std::uint64_t& value) { return take<8>(value); }
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
