// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/token.h: the secret that a server prints and a client must show.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace datum::cp {

// 128 random bits: guessing is hopeless, so failed attempts are not counted
using Token = std::array<std::byte, 16>;

Token make_token();
std::string token_text(const Token& token);              // 32 hexadecimal digits
std::optional<Token> parse_token(std::string_view text); // nothing: the text is no token

// Takes the same time, wherever the tokens differ.
bool same_token(const Token& a, const Token& b);

} // namespace datum::cp
