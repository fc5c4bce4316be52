// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/variables.h: every variable of the environment that Datum reads, in one table.
// Lives here: names, syntax, reading the variables, and what happens to a value that is not
//             understood.
// Not here:   what a value does; the code that reads the variable decides that.
// Threads:    any.
//
// Registry, provider and dat-info --check read this table and nothing else. So all three know the
// same variables, with the same syntax.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/port_range.h"

namespace datum {

// In the order of the table.
enum class Variable : std::uint8_t {
  Alias,
  Log,
  PortRange,
  Crc,
  Hello,
  PeerTimeout,
  ConnectGrace,
  HalfOpen,
  RequestTimeout,
  FirstFrameTimeout,
  Unreceived,
  ReadSize,
  Unsent,
  EndTimeout,
  CloseTimeout,
  Ending,
  RnrTimeout,
  Strict,
  Transport,
  ConfFile,
  DebugMask,
};
inline constexpr std::size_t kVariables = static_cast<std::size_t>(Variable::DebugMask) + 1;

enum class Syntax : std::uint8_t {
  Word,    // one of `words`
  Number,  // digits, from `least` to `most`
  Ports,   // LOW-HIGH, two ports that need no privilege
  Aliases, // NAME=IA,...
  Mask,    // a number as strtoul(3) reads it
  Path,    // the name of a file
};

struct VariableInfo {
  Variable variable;
  const char* name;
  Syntax syntax;
  bool needs_trust = false; // True: ignored in programs with more rights than their caller
  bool empty_is_unset = false;
  std::array<std::string_view, 4> words{};
  std::uint64_t least = 0, most = 0;
  const char* expected = ""; // "on or off"
  const char* instead = "";  // "using 512": what applies to a bad value
};

// All variables.
std::span<const VariableInfo> variables();
const VariableInfo& about(Variable variable);

// The value that `text` means for the variable. Nothing: the text is not understood. The value of a
// word is its index in `words`.
std::optional<std::size_t> parse_word(Variable variable, std::string_view text);
std::optional<std::uint64_t> parse_number(Variable variable, std::string_view text);
std::optional<PortRange> parse_ports(std::string_view text);
std::optional<std::uint32_t> parse_mask(std::string_view text);
// Name and IA of one part of a list of aliases. Nothing: one of them is missing or empty.
std::optional<std::pair<std::string_view, std::string_view>> parse_alias(std::string_view part);
// Calls take(part) for each part between commas that is not empty.
template <class Take>
void each_alias(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const std::string_view part = text.substr(0, comma); !part.empty()) take(part);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
}
// True: the whole text is understood.
bool is_understood(Variable variable, std::string_view text);

// The text that the variable is set to. Null: the variable is not set, is empty and empty_is_unset,
// or is ignored in this program.
const char* value_of(Variable variable);

// The value that the variable has in the environment. Nothing: value_of() is null, or the text is
// not understood. In the second case a warning is logged, once for each such text in a row.
std::optional<std::size_t> read_word(Variable variable);
std::optional<std::uint64_t> read_number(Variable variable);
std::optional<PortRange> read_ports(Variable variable);
std::optional<std::uint32_t> read_mask(Variable variable);

} // namespace datum
