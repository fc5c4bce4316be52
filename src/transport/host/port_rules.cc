// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/port_rules.h"

#include <algorithm>
#include <cstdlib>

#include "transport/host/text_file.h"

namespace datum {
namespace {

constexpr const char* kEphemeral = "/proc/sys/net/ipv4/ip_local_port_range";
constexpr long kLowest = 1024;
constexpr long kHighest = 65535;

PortRange range(long low, long high) {
  return {static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high)};
}

} // namespace

long unprivileged_port_start() {
  const std::string text = read_text_file("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  return text.empty() ? kLowest : std::strtol(text.c_str(), nullptr, 10);
}

std::uint16_t first_unprivileged_port() {
  return static_cast<std::uint16_t>(std::clamp(unprivileged_port_start(), kLowest, kHighest));
}

PortRange any_port_range_below(const std::string& ephemeral) {
  constexpr long kWanted = 8192;
  constexpr long kEnough = 1024;
  constexpr long kUsualStart = 32768;
  long start = std::strtol(ephemeral.c_str(), nullptr, 10);
  if (start <= kLowest || start > kHighest) start = kUsualStart;
  const long low = std::max(kLowest, start - kWanted);
  if (low > kMappedPorts.high || start <= kMappedPorts.low) return range(low, start - 1);
  // The range above the mapped ports comes first: no other program searches for a port there.
  if (start - 1 - kMappedPorts.high >= kEnough) return range(kMappedPorts.high + 1, start - 1);
  return range(kMappedPorts.low - kWanted, kMappedPorts.low - 1);
}

PortRange any_port_range() {
  return any_port_range_below(read_text_file(kEphemeral));
}

std::array<PortRange, 2> beside_mapped(const std::string& ephemeral) {
  char* end = nullptr;
  const long low = std::clamp(std::strtol(ephemeral.c_str(), &end, 10), kLowest, kHighest);
  const long high = std::clamp(std::strtol(end, nullptr, 10), kLowest, kHighest);
  return {range(low, std::min<long>(high, kMappedPorts.low - 1)),
          range(std::max<long>(low, kMappedPorts.high + 1), high)};
}

std::array<PortRange, 2> ephemeral_ports_beside_mapped() {
  return beside_mapped(read_text_file(kEphemeral));
}

} // namespace datum
