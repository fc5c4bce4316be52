// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// libfmt is compiled in, not linked: Datum's libraries may not export its names.
#define FMT_HEADER_ONLY 1
#include "base/text.h"

#include <fmt/format.h>

namespace datum {

std::string format_text(fmt::string_view format, fmt::format_args arguments) {
  return fmt::vformat(format, arguments);
}

} // namespace datum
