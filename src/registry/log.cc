// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/log.h"

#include <optional>

#include "base/variables.h"

namespace datum::registry {
bool told(LogLevel level, Topic topic) {
  static const std::optional<std::uint32_t> mask = read_mask(Variable::DebugMask);
  if (mask && (*mask & static_cast<std::uint32_t>(topic)) != 0) return true;
  if (level == LogLevel::Warn)
    return !mask || (*mask & static_cast<std::uint32_t>(Topic::Errors)) != 0;
  return log_enabled(level);
}

} // namespace datum::registry
