// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/qualifier.h: connection qualifiers and TCP ports (docs/design/tcp.md).
// A qualifier from 1 to 65535 is a port. Every other qualifier is mapped to a few candidate ports.
// A listener takes the first of these that is free. A request to such a port names its qualifier in
// front of the consumer's private data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/port_range.h"
#include "core/port/types.h"
#include "transport/host/port_rules.h"

namespace datum {

inline constexpr bool is_port(ConnQual qualifier) {
  return qualifier >= 1 && qualifier <= 0xffff;
}

inline constexpr std::size_t kCandidates = 8;
using Candidates = std::array<std::uint16_t, kCandidates>;
Candidates candidate_ports(ConnQual qualifier, PortRange range);

// Octets in front of the private data of a request to a mapped port.
struct QualifierPrefix {
  static constexpr std::size_t kWireSize = 16;
  static constexpr std::uint32_t kMagic = 0x4454'4351; // "DTCQ"
  static constexpr std::uint8_t kVersion = 1;
};
void encode_prefix(ConnQual qualifier, std::byte* to);
// False: the data has no prefix, or the prefix is for another qualifier.
bool has_prefix(std::span<const std::byte> data, ConnQual qualifier);
// True: the data has a prefix, for any qualifier.
bool has_prefix(std::span<const std::byte> data);

} // namespace datum
