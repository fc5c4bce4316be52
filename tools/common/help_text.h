// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/help_text.h: the text of --help for a terminal that is narrower than its lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace datum::tools {

// Lines that are too long are broken between words: what explains an option stays in its column, or
// goes below the option where that column is too far to the right. All others stay as they are.
std::string wrapped(std::string_view help, std::size_t columns);

} // namespace datum::tools
