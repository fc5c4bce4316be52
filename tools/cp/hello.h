// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/hello.h: the first words, carried as private data of connect and accept.
// A refusal is an accepted connection whose answer says why: dat_cr_reject carries no data.
// The layout of both stays readable by every later version up to and including version.
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
// Nothing: not dat-cp. Of another version only version (and pid) can be trusted.
std::optional<Hello> decode_hello(std::string_view data);
std::optional<HelloAnswer> decode_answer(std::string_view data);

} // namespace datum::cp
