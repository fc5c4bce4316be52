// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/wire.h: converts numbers and strings to big-endian bytes and back.
// Lives here: a writer whose buffer grows, and how a string is written (numbers: base/wire.h).
// Not here:   what the bytes mean (protocol.h, hello.h, journal.cc).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wire.h"

namespace datum::cp {

inline constexpr std::size_t kMaxString = 4096; // PATH_MAX: no path and no text is longer

class WireWriter {
 public:
  WireWriter() = default;
  explicit WireWriter(std::vector<std::byte> before) : bytes_(std::move(before)) {}
  template <std::integral T>
  WireWriter& number(T value) {
    return raw(octets_of(value));
  }
  WireWriter& raw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  // A text that is longer is cut. Only messages for users can be that long.
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

// Each call returns false if there are too few bytes; the value is then unspecified.
class WireReader : public datum::WireReader {
 public:
  using datum::WireReader::WireReader;

  bool raw(std::span<std::byte> out) {
    std::span<const std::byte> read;
    if (!octets(out.size(), read)) return false;
    std::copy(read.begin(), read.end(), out.begin());
    return true;
  }
  bool string(std::string& text) {
    std::uint16_t length = 0;
    std::span<const std::byte> read;
    if (!number(length) || length > kMaxString || !octets(length, read)) return false;
    text.assign(reinterpret_cast<const char*>(read.data()), read.size());
    return true;
  }
  [[nodiscard]] bool at_end() const { return left().empty(); }
};

} // namespace datum::cp
