// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/text.h: formatted text. The formatting itself is compiled once, in text.cc. If every file
// that formats a text compiled it, each would cost seconds of compile time.
#pragma once

#include <fmt/core.h>
#include <string>

namespace datum {

std::string format_text(fmt::string_view format, fmt::format_args arguments);

template <class... Args>
std::string text(fmt::format_string<Args...> format, Args&&... args) {
  return format_text(format, fmt::make_format_args(args...));
}

} // namespace datum
