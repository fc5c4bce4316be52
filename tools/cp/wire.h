// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/wire.h: numbers and strings to big-endian bytes and back.
// Lives here: the two cursors. Not here: what the bytes mean (protocol.h, hello.h, journal.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace datum::cp {

inline constexpr std::size_t kMaxString = 4096; // PATH_MAX: no path and no text is longer

class WireWriter {
 public:
  WireWriter() = default;
  explicit WireWriter(std::vector<std::byte> before) : bytes_(std::move(before)) {}
  template <class T>
  requires std::is_integral_v<T> WireWriter& number(T value) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    std::array<std::byte, sizeof(T)> octets;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      octets[i] =
          static_cast<std::byte>(static_cast<std::uint64_t>(bits) >> (8 * (sizeof(T) - 1 - i)));
    return raw(octets);
  }
  WireWriter& raw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  // Longer text is cut: only messages for people are ever that long.
  WireWriter& string(std::string_view text) {
    text = text.substr(0, kMaxString);
    number(static_cast<std::uint16_t>(text.size()));
    return raw(std::as_bytes(std::span(text)));
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Every call answers false once the bytes run out; the value is then unspecified.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_integral_v<T>
  bool number(T& value) {
    if (bytes_.size() < sizeof(T)) return false;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits = bits << 8 | std::to_integer<std::uint64_t>(bytes_[i]);
    value = static_cast<T>(bits);
    bytes_ = bytes_.subspan(sizeof(T));
    return true;
  }
  bool raw(std::span<std::byte> out) {
    if (bytes_.size() < out.size()) return false;
    std::memcpy(out.data(), bytes_.data(), out.size());
    bytes_ = bytes_.subspan(out.size());
    return true;
  }
  bool string(std::string& text) {
    std::uint16_t length = 0;
    if (!number(length) || length > kMaxString || bytes_.size() < length) return false;
    text.assign(reinterpret_cast<const char*>(bytes_.data()), length);
    bytes_ = bytes_.subspan(length);
    return true;
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

} // namespace datum::cp
