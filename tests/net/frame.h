// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/frame.h: the parts of an Ethernet frame that the relay uses.
// Lives here: finding the TCP payload, spoiling it so that TCP does not notice, sending a frame
//             back.
// Not here:   which frames this happens to (line.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace datum::net {

using Frame = std::vector<std::uint8_t>;

// Offsets in a TCP frame over IPv4 or IPv6 without extension headers.
struct TcpPart {
  std::size_t header = 0;
  std::size_t payload = 0;
  std::size_t end = 0; // end of the payload; an Ethernet frame may be padded
};
std::optional<TcpPart> find_tcp(std::span<const std::uint8_t> frame);

// Changes the bit of the TCP payload that `choice` names, and adapts the checksum. Returns false
// and changes nothing if there is no payload, or if the payload begins with a startup frame of MPA.
// A startup frame has no CRC (RFC 5044 section 7.1), so the receiver could not notice the change.
bool spoil(std::span<std::uint8_t> frame, std::uint64_t choice);

// Swaps sender and receiver, of Ethernet and of IP. The sending host gets the frame back, as if it
// came from the address to which it was sent. Returns false if the frame is not IP.
bool turn_back(std::span<std::uint8_t> frame);

} // namespace datum::net
