// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/help_text.h: the text of --help for a terminal that is narrower than its lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace datum::tools {

// Breaks lines that are too long between words. The explanation of an option stays in its column,
// or goes below the option if that column is too far to the right. All other lines stay as they
// are.
std::string wrapped(std::string_view help, std::size_t columns);

} // namespace datum::tools
