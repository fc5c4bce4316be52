// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/hello.h: the first message of each side, as private data of connect and accept.
// A refusal is an accepted connection whose answer says why, because dat_cr_reject carries no data
// in DAT 1.2. Both layouts begin with the same fields in every later version: a Hello up to `pid`,
// a HelloAnswer up to the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cp/token.h"

namespace datum::cp {

inline constexpr std::uint16_t kProtocolVersion = 2;

struct Hello {
  std::uint16_t version = kProtocolVersion;
  std::uint32_t pid = 0;
  Token token{};
  bool operator==(const Hello&) const = default;
};

enum class Answer : std::uint8_t { Welcome, WrongVersion, WrongToken };

struct HelloAnswer {
  std::uint16_t version = kProtocolVersion;
  std::uint32_t pid = 0;
  Answer answer{};
  bool operator==(const HelloAnswer&) const = default;
};

std::string encode(const Hello& hello);
std::string encode(const HelloAnswer& answer);
// Nothing: the data are not those of dat-cp. For a Hello of another version, only version and pid
// are set.
std::optional<Hello> decode_hello(std::string_view data);
std::optional<HelloAnswer> decode_answer(std::string_view data);

} // namespace datum::cp
