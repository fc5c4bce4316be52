// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/printable.h: makes text safe to show that comes from a peer, a file or the environment.
// Lives here: which characters may reach a terminal or a log, and how the others are written.
// Not here:   quotes and the escapes of JSON. tools/common/json.cc calls is_control() for these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace datum {

struct Character {
  std::size_t length; // in bytes
  char32_t code;
  bool valid; // false: the byte does not begin a character of UTF-8; code is the byte
};

// The first character of a text that is not empty.
Character first_character(std::string_view text);

// Control characters (C0, DEL, C1), line and paragraph separators, and the controls of writing
// direction, which let a text look like another one. All other characters may be shown.
bool is_control(char32_t code);

// One line of valid UTF-8 without control characters. Those become \n, \r, \t, \x1b or \u202e; a
// byte that is not UTF-8 becomes \xff. Other text stays as it is, backslashes too: people read the
// result, programs do not. So escaping twice equals escaping once.
std::string printable(std::string_view text);

} // namespace datum
