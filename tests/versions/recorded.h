// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// versions/recorded.h: octets that a release has sent, from tests/versions/recorded. A file has
// pairs of hexadecimal digits, and '#' begins a comment.
// Lives here: reading these files.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace datum::test {

// The message for a difference. A difference is no reason to change the recorded octets.
inline constexpr char kRaise[] =
    "peers of the first release are told something else: raise the number of this handshake, as "
    "docs/design/versions.md says, and record the new octets in a folder of their own";

// The octets of the first release that are recorded as `name`, for example "shm-hello".
inline std::vector<std::byte> recorded(const std::string& name) {
  const std::string path = std::string(DATUM_RECORDED) + "/0.1/" + name + ".hex";
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::byte> octets;
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    for (std::size_t i = 0; i + 1 < line.size() && line[i] != ' '; i += 2)
      octets.push_back(static_cast<std::byte>(std::stoi(line.substr(i, 2), nullptr, 16)));
  }
  EXPECT_FALSE(octets.empty()) << path;
  return octets;
}

inline std::string hex_of(std::span<const std::byte> octets) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte octet : octets) {
    text += kDigits[std::to_integer<unsigned>(octet) >> 4U];
    text += kDigits[std::to_integer<unsigned>(octet) & 0xfU];
  }
  return text;
}
inline std::string recorded_text(const std::string& name) {
  std::string text;
  for (const std::byte octet : recorded(name)) text += std::to_integer<char>(octet);
  return text;
}
inline std::string recorded_hex(const std::string& name) {
  return hex_of(recorded(name));
}

} // namespace datum::test
