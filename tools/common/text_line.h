// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/text_line.h: lines that a person reads, with names in them that a peer or a file chose.
// Not here: JSON, which has its own escapes (json.h).
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/human.h"
#include "common/std_streams.h"

namespace datum::tools {

// One line with its newline. The arguments cannot break it.
template <class... Args>
std::string text_line(fmt::format_string<Args...> format, Args&&... args) {
  return printable(fmt::format(format, std::forward<Args>(args)...)) + '\n';
}

template <class... Args>
void print_line(fmt::format_string<Args...> format, Args&&... args) {
  print_text(text_line(format, std::forward<Args>(args)...));
}

} // namespace datum::tools
