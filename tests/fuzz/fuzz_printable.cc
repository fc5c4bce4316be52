// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_printable.cc: printable() of any bytes must be UTF-8 without control characters,
// and printable() of clean text must be the text itself. The C library's decoder checks both, not
// the product's decoder.
#include <clocale>
#include <cwchar>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "input.h"

using datum::printable;
using datum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool may_be_shown(wchar_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false; // the C library may accept these
  if (c < L' ' || (c >= 0x7f && c < 0xa0)) return false;
  return std::wstring_view(L"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
                           L"\u2066\u2067\u2068\u2069")
             .find(c) == std::wstring_view::npos;
}

bool is_clean(std::string_view text) {
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t c = 0;
    const std::size_t length = std::mbrtowc(&c, text.data(), text.size(), &state);
    if (length == 0 || length > text.size() || !may_be_shown(c)) return false;
    text.remove_prefix(length);
  }
  return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const locale = std::setlocale(LC_CTYPE, "C.UTF-8");
  require(locale != nullptr, "the C library reads UTF-8");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = printable(text);
  require(is_clean(shown), "what is shown is clean");
  require(is_clean(text) == (shown == text), "clean text stays as it is, other text does not");
  require(printable(shown) == shown, "escaping twice is escaping once");
  return 0;
}
