// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/message.h: the messages that the two sides exchange between measurements.
// Lives here: the text form: "verb name=number name=number", a newline, free text. Pure. The other
//             side is not trusted: a missing name counts as 0, receivers check the numbers, and
//             characters that could disturb a terminal are replaced.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace datum::perf {

inline constexpr std::size_t kMaxMessage = 1024; // bytes

struct Message {
  std::string verb;
  std::map<std::string, std::uint64_t, std::less<>> numbers;
  std::string text;

  [[nodiscard]] std::uint64_t number(std::string_view name) const;
};

// At most kMaxMessage bytes; a longer text is cut.
std::string encode(const Message& message);
Message decode(std::string_view bytes);

} // namespace datum::perf
