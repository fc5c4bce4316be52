// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/printable.h"

#include "base/assertion.h"

namespace datum {
namespace {

// How many bytes the lead byte announces; 0: no character begins with it. C0, C1 and F5 to FF never
// occur.
std::size_t promised_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

// True: the code is encoded longer than needed, is half of a surrogate pair, or is above the last
// code point.
bool is_forbidden(std::size_t length, char32_t code) {
  if (length == 3) return code < 0x800 || (code >= 0xD800 && code <= 0xDFFF);
  return length == 4 && (code < 0x10000 || code > 0x10FFFF);
}

bool is_plain_ascii(char c) {
  return c >= 0x20 && c < 0x7F;
}

void append_hex(std::string& out, char32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[(value >> static_cast<unsigned>(shift)) & 0xF];
}

void append_escaped(std::string& out, const Character& character) {
  switch (character.code) {
  case '\n': out += "\\n"; return;
  case '\r': out += "\\r"; return;
  case '\t': out += "\\t"; return;
  default: break;
  }
  // Every control is below U+10000.
  const bool one_byte = !character.valid || character.code < 0x80;
  out += one_byte ? "\\x" : "\\u";
  append_hex(out, character.code, one_byte ? 2 : 4);
}

} // namespace

Character first_character(std::string_view text) {
  DATUM_ASSERT(!text.empty());
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const Character stray{1, byte(0), false};
  const std::size_t length = promised_length(byte(0));
  if (length == 1) return {1, byte(0), true};
  if (length == 0 || length > text.size()) return stray;
  char32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return stray;
    code = code << 6U | (byte(at) & 0x3FU);
  }
  return is_forbidden(length, code) ? stray : Character{length, code, true};
}

bool is_control(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
  switch (code) {
  case 0x061C: // Arabic letter mark
  case 0x200E: // left-to-right mark
  case 0x200F: // right-to-left mark
  case 0x2028: // line separator
  case 0x2029: // paragraph separator
    return true;
  default: // embeddings and overrides, isolates
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (is_plain_ascii(text.front())) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    const Character character = first_character(text);
    if (character.valid && !is_control(character.code))
      out += text.substr(0, character.length);
    else
      append_escaped(out, character);
    text.remove_prefix(character.length);
  }
  return out;
}

} // namespace datum
