// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/frame.h: what the relay has to know about an Ethernet frame.
// Lives here: finding the TCP payload, spoiling it so that TCP does not notice, turning a frame
// back. Not here:   which frames this happens to (line.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace datum::net {

using Frame = std::vector<std::uint8_t>;

// Offsets into a frame of TCP in IPv4 or IPv6 without extension headers.
struct TcpPart {
  std::size_t header = 0;
  std::size_t payload = 0;
  std::size_t end = 0; // of the payload; an Ethernet frame may be padded
};
std::optional<TcpPart> find_tcp(std::span<const std::uint8_t> frame);

// Changes one bit of the TCP payload, which `choice` says, and the checksum with it. False, and
// nothing changed: there is no payload, or it begins with a frame of MPA's startup, which has no
// CRC (RFC 5044 section 7.1), so that nobody could notice.
bool spoil(std::span<std::uint8_t> frame, std::uint64_t choice);

// Swaps sender and receiver, of Ethernet and of IP: the host that sent it gets it from somebody who
// has the address that it wrote to. False: it is not IP.
bool turn_back(std::span<std::uint8_t> frame);

} // namespace datum::net
