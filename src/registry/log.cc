// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/log.h"

#include <cstdlib>
#include <optional>

namespace datum::registry {
namespace {

std::optional<std::uint32_t> read_mask() {
  const char* text = ::secure_getenv("DAT_DBG_TYPE");
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const unsigned long mask = std::strtoul(text, &end, 0);
  if (*end != '\0') {
    log(LogLevel::Warn,
        "DAT_DBG_TYPE=\"{}\" is not a number and is ignored; write a mask such as 0xff", text);
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(mask);
}

} // namespace

bool told(LogLevel level, Topic topic) {
  static const std::optional<std::uint32_t> mask = read_mask();
  if (mask && (*mask & static_cast<std::uint32_t>(topic)) != 0) return true;
  if (level == LogLevel::Warn)
    return !mask || (*mask & static_cast<std::uint32_t>(Topic::Errors)) != 0;
  return log_enabled(level);
}

} // namespace datum::registry
