// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/strict.h"

#include <cstdlib>

#include "base/log.h"

namespace datum {

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "on") return true;
  if (text == "off") return false;
  return std::nullopt;
}

bool strict_mode() {
  const char* text = ::secure_getenv("DATUM_STRICT");
  if (text == nullptr) return false;
  if (const std::optional<bool> wanted = parse_switch(text)) return *wanted;
  log(LogLevel::Warn, "DATUM_STRICT=\"{}\" is ignored: expected on or off; going on as with off",
      text);
  return false;
}

} // namespace datum
