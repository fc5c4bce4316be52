// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/port_range.h: TCP ports from one to another, both included.
#pragma once

#include <cstdint>

namespace datum {

struct PortRange {
  std::uint16_t low = 0;
  std::uint16_t high = 0;

  constexpr bool has(std::uint16_t port) const { return low <= port && port <= high; }
};

} // namespace datum
