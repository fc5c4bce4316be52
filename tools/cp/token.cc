// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/token.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::cp {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

Token make_token() {
  Token token;
  // Up to 256 bytes come whole or not at all (getrandom(2)).
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size()))
    throw tools::ToolError(tools::ExitCode::Failed,
                           fmt::format("no random numbers for a token: {}", std::strerror(errno)));
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
    const int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    token[i] = static_cast<std::byte>(high * 16 + low);
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
