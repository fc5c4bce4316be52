// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/json.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "base/printable.h"

namespace datum::tools {
namespace {

// JSON demands an escape for some characters. Those that could disturb a terminal are escaped, too.
bool needs_escape(const Character& character) {
  return character.code == '"' || character.code == '\\' || is_control(character.code);
}

std::string escaped(char32_t code) {
  if (code == '"' || code == '\\') return {'\\', static_cast<char>(code)};
  return fmt::format("\\u{:04x}", static_cast<unsigned>(code));
}

} // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.valid)
      out += "\\ufffd";
    else if (needs_escape(character))
      out += escaped(character.code);
    else
      out += text.substr(0, character.length);
    text.remove_prefix(character.length);
  }
  return out + '"';
}

std::string json_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && stop == end ? std::to_string(value) : kJsonNull;
}

JsonObject& JsonObject::add(std::string_view key, double value) {
  if (!std::isfinite(value)) return add_raw(key, kJsonNull);
  std::string text = fmt::format("{:.6g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return add_raw(key, text);
}

JsonObject& JsonObject::add_raw(std::string_view key, std::string_view value) {
  if (!body_.empty()) body_ += ", ";
  body_ += json_string(key);
  body_ += ": ";
  body_ += value;
  return *this;
}

} // namespace datum::tools
