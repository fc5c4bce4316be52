// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/token.h"

#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/refused_calls.h"
#include "common/tool_error.h"

namespace datum::cp {

Token make_token() {
  Token token;
  // getrandom(2) returns up to 256 bytes completely or not at all.
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size()))
    throw tools::ToolError(tools::ExitCode::Failed,
                           fmt::format("no random numbers for a token: {}{}", std::strerror(errno),
                                       is_refusal_of_call(errno)
                                           ? " (a filter of system calls refuses getrandom)"
                                           : ""));
  return token;
}

std::string token_text(const Token& token) {
  std::string text;
  for (std::byte b : token) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

std::optional<Token> parse_token(std::string_view text) {
  Token token;
  if (text.size() != 2 * token.size()) return std::nullopt;
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::uint8_t value = 0; // unsigned, so from_chars() takes two digits or fails
    const char* const begin = text.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) return std::nullopt;
    token[i] = std::byte{value};
  }
  return token;
}

bool same_token(const Token& a, const Token& b) {
  volatile unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = difference | std::to_integer<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

} // namespace datum::cp
