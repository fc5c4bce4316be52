// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/conf/tokens.h: splits lines into fields, by the quoting rules of dat.conf.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace datum::conf {

// A longer line is refused. Real lines are far shorter.
inline constexpr std::size_t kMaxLine = 64U << 10;
inline constexpr std::size_t kMaxFields = 64;

// The fields of one line (no newline in it), or why it cannot be split.
tl::expected<std::vector<std::string>, std::string> split_fields(std::string_view line);

// Takes the next line off the front of text, without its newline.
std::string_view take_line(std::string_view& text);

} // namespace datum::conf
