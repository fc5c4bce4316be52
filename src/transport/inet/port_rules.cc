// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/inet/port_rules.h"

#include <algorithm>
#include <cstdlib>

#include "transport/inet/text_file.h"

namespace datum {

std::uint16_t first_unprivileged_port() {
  constexpr long kUsual = 1024;
  const std::string text = read_text_file("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  const long configured = std::strtol(text.c_str(), nullptr, 10);
  return static_cast<std::uint16_t>(std::clamp(configured, kUsual, 65535L));
}

PortRange any_port_range_below(const std::string& ephemeral) {
  constexpr long kWanted = 8192;
  constexpr long kLowest = 1024;
  constexpr long kUsualStart = 32768;
  long start = std::strtol(ephemeral.c_str(), nullptr, 10);
  if (start <= kLowest || start > 65535) start = kUsualStart;
  return {static_cast<std::uint16_t>(std::max(kLowest, start - kWanted)),
          static_cast<std::uint16_t>(start - 1)};
}

PortRange any_port_range() {
  return any_port_range_below(read_text_file("/proc/sys/net/ipv4/ip_local_port_range"));
}

} // namespace datum
