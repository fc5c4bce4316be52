// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/wire.h: big-endian integers on the stream.
// Not here: the CRC field, the one that is little-endian (fpdu.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/copy_bytes.h"

namespace datum::iwarp {

using Octets = std::span<const std::byte>;

// Compilers do not make one load or store, and a swap, of a loop over octets.
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
  template <class T>
  constexpr WireWriter& put(T value) {
    if (std::is_constant_evaluated()) {
      for (unsigned i = 0; i < sizeof value; ++i)
        at_[i] = static_cast<std::byte>((value >> (8 * (sizeof value - 1 - i))) & 0xffU);
    } else {
      value = big_endian(value);
      std::memcpy(at_, &value, sizeof value);
    }
    at_ += sizeof value;
    return *this;
  }

 public:
  constexpr explicit WireWriter(std::byte* at) : at_(at) {}
  constexpr WireWriter& u8(std::uint8_t value) { return put(value); }
  constexpr WireWriter& u16(std::uint16_t value) { return put(value); }
  constexpr WireWriter& u32(std::uint32_t value) { return put(value); }
  constexpr WireWriter& u64(std::uint64_t value) { return put(value); }
  constexpr WireWriter& octets(Octets from) {
    if (std::is_constant_evaluated())
      for (std::size_t i = 0; i < from.size(); ++i) at_[i] = from[i];
    else
      copy_bytes(at_, from.data(), from.size());
    at_ += from.size();
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
    if (left_.size() < sizeof value) return false;
    if (std::is_constant_evaluated()) {
      std::uint64_t read = 0;
      for (unsigned i = 0; i < sizeof value; ++i)
        read = read << 8U | std::to_integer<std::uint64_t>(left_[i]);
      value = static_cast<T>(read);
    } else {
      std::memcpy(&value, left_.data(), sizeof value);
      value = big_endian(value);
    }
    left_ = left_.subspan(sizeof value);
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
