// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "frame.h"

#include <algorithm>
#include <string_view>

namespace datum::net {
namespace {

using Octets = std::span<std::uint8_t>;
using ConstOctets = std::span<const std::uint8_t>;

constexpr std::size_t kMac = 6;
constexpr std::size_t kEthernet = 14;
constexpr std::size_t kLeastIpv4 = 20;
constexpr std::size_t kIpv6 = 40;
constexpr std::size_t kLeastTcp = 20;
constexpr std::size_t kTcpChecksum = 16;
constexpr std::uint16_t kTypeIpv4 = 0x0800;
constexpr std::uint16_t kTypeIpv6 = 0x86dd;
constexpr std::uint8_t kProtocolTcp = 6;
// the beginning of the key of a request and of a reply
constexpr std::string_view kStartup = "MPA ID Re";

std::uint16_t u16(ConstOctets frame, std::size_t at) {
  return static_cast<std::uint16_t>(frame[at] << 8U | frame[at + 1]);
}

void put_u16(Octets frame, std::size_t at, std::uint32_t value) {
  frame[at] = static_cast<std::uint8_t>(value >> 8U);
  frame[at + 1] = static_cast<std::uint8_t>(value);
}

std::uint16_t type_of(ConstOctets frame) {
  return frame.size() < kEthernet ? std::uint16_t{0} : u16(frame, kMac * 2);
}

struct Packet {
  std::size_t payload = 0;
  std::size_t end = 0;
  std::uint8_t protocol = 0;
};

std::optional<Packet> find_packet(ConstOctets frame) {
  const std::uint16_t type = type_of(frame);
  if (type == kTypeIpv4 && frame.size() >= kEthernet + kLeastIpv4)
    return Packet{kEthernet + (frame[kEthernet] & 0xfU) * std::size_t{4},
                  kEthernet + u16(frame, kEthernet + 2), frame[kEthernet + 9]};
  if (type == kTypeIpv6 && frame.size() >= kEthernet + kIpv6)
    return Packet{kEthernet + kIpv6, kEthernet + kIpv6 + u16(frame, kEthernet + 4),
                  frame[kEthernet + 6]};
  return std::nullopt;
}

bool is_startup(ConstOctets payload) {
  return payload.size() >= kStartup.size() &&
         std::equal(kStartup.begin(), kStartup.end(), payload.begin());
}

void swap(Octets frame, std::size_t first, std::size_t second, std::size_t size) {
  std::swap_ranges(frame.begin() + static_cast<std::ptrdiff_t>(first),
                   frame.begin() + static_cast<std::ptrdiff_t>(first + size),
                   frame.begin() + static_cast<std::ptrdiff_t>(second));
}

} // namespace

std::optional<TcpPart> find_tcp(ConstOctets frame) {
  const auto packet = find_packet(frame);
  if (!packet || packet->protocol != kProtocolTcp || packet->end > frame.size() ||
      packet->payload + kLeastTcp > packet->end)
    return std::nullopt;
  const std::size_t header = packet->payload;
  const std::size_t payload = header + (frame[header + 12] >> 4U) * std::size_t{4};
  if (payload > packet->end) return std::nullopt;
  return TcpPart{header, payload, packet->end};
}

bool spoil(Octets frame, std::uint64_t choice) {
  const auto tcp = find_tcp(frame);
  if (!tcp || tcp->payload == tcp->end) return false;
  if (is_startup(frame.subspan(tcp->payload, tcp->end - tcp->payload))) return false;
  const std::size_t size = tcp->end - tcp->payload;
  const std::size_t at = tcp->payload + choice % size;
  // RFC 1624: updates the checksum by the change. Words are counted from the TCP header.
  const unsigned shift = (at - tcp->header) % 2 == 0 ? 8 : 0;
  const std::uint32_t before = std::uint32_t{frame[at]} << shift;
  frame[at] ^= static_cast<std::uint8_t>(1U << (choice / size % 8));
  const std::uint32_t after = std::uint32_t{frame[at]} << shift;
  std::uint32_t sum =
      (~u16(frame, tcp->header + kTcpChecksum) & 0xffffU) + (~before & 0xffffU) + after;
  sum = (sum & 0xffffU) + (sum >> 16U);
  sum = (sum & 0xffffU) + (sum >> 16U);
  put_u16(frame, tcp->header + kTcpChecksum, ~sum);
  return true;
}

bool turn_back(Octets frame) {
  if (!find_packet(frame)) return false;
  swap(frame, 0, kMac, kMac);
  // Addition is commutative, so the swap leaves all checksums right.
  if (type_of(frame) == kTypeIpv4)
    swap(frame, kEthernet + 12, kEthernet + 16, 4);
  else
    swap(frame, kEthernet + 8, kEthernet + 24, 16);
  return true;
}

} // namespace datum::net
