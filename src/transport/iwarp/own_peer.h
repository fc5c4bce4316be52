// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/own_peer.h: messages between two own peers, beside those of iWARP.
//
// The carrier is a zero-length RDMA Write, whose STag and TO a foreign peer must not check (RFC
// 5041 section 5.2). The STag tells the kind of message, the TO holds its content. A foreign peer
// takes it for a Write of no octets.
//
//   Hello   the first FPDU of either side. The initiator sends it only if the reply chose the Write
//           form of RTR. The Hello is then the RTR.
//           TO: magic(32) version(4) flags(12) largest ULPDU(16)
//   Ack     TO: how many Sends and Writes have been placed so far, all in all (32), zero(32)
//   Close   TO: zero. Nothing follows but the end of the stream
//
// A Write of no octets that a consumer posted has the STag of a Hello and TO 0, so it is none of
// these messages.
#pragma once

#include "transport/iwarp/ddp.h"
#include "transport/iwarp/fpdu.h"

namespace datum::iwarp {

inline constexpr Stag kHelloStag = 1;
inline constexpr Stag kAckStag = 2;
inline constexpr Stag kCloseStag = 3;

struct Hello {
  static constexpr std::uint32_t kMagic = 0x4454'5750; // "DTWP"
  static constexpr std::uint8_t kVersion = 1;
  static constexpr std::uint16_t kTakesExtensions = 0x001; // RFC 7306
  std::uint16_t flags = 0;                                 // 12 bits; unknown ones are ignored
  std::uint16_t largest_ulpdu = 0;                         // the most that its sender takes
  bool operator==(const Hello&) const = default;
};

constexpr std::uint64_t encode(const Hello& hello) {
  return std::uint64_t{Hello::kMagic} << 32U | std::uint64_t{Hello::kVersion} << 28U |
         std::uint64_t{hello.flags & 0xfffU} << 16U | hello.largest_ulpdu;
}
// False: no Hello, or one of an unknown version.
constexpr bool decode(Stag stag, std::uint64_t offset, Hello& hello) {
  if (stag != kHelloStag || offset >> 32U != Hello::kMagic) return false;
  if ((offset >> 28U & 0xfU) != Hello::kVersion) return false;
  hello.flags = static_cast<std::uint16_t>(offset >> 16U & 0xfffU);
  hello.largest_ulpdu = static_cast<std::uint16_t>(offset & 0xffffU);
  return hello.largest_ulpdu >= kLeastUlpdu;
}

// Why the provider, not the consumer, refuses a request. The reason is the private data of the
// reject, so foreign peers see an ordinary reject. The type is as wide as on the wire. So a value
// of a later version is kept, and equals none of these.
enum class Refusal : std::uint32_t {
  NotAccepted = 1, // the consumer could not be told of the request
  NotHere = 2,     // no listener for that qualifier at this port
};
inline constexpr std::size_t kRefusalSize = 8;
inline constexpr std::uint32_t kRefusalMagic = 0x4454'5246; // "DTRF"
constexpr void encode(Refusal refusal, WireWriter& out) {
  out.u32(kRefusalMagic).u32(static_cast<std::uint32_t>(refusal));
}
constexpr bool decode(Octets data, Refusal& refusal) {
  WireReader in(data);
  std::uint32_t magic = 0;
  std::uint32_t why = 0;
  if (data.size() != kRefusalSize || !in.u32(magic) || !in.u32(why) || magic != kRefusalMagic)
    return false;
  refusal = static_cast<Refusal>(why);
  return true;
}

// Immediate Data (RFC 7306 section 6.2) behind a Write: the consumer's number (32), and how many
// octets the Write had (32).
constexpr std::uint64_t encode_immediate(const MessageNote& note) {
  return std::uint64_t{note.value} << 32U | (note.written & 0xffffffffU);
}
constexpr MessageNote decode_immediate(std::uint64_t data) {
  return {Opcode::WriteImmediate, static_cast<std::uint32_t>(data >> 32U), data & 0xffffffffU};
}

constexpr std::uint64_t encode_ack(std::uint32_t placed) {
  return std::uint64_t{placed} << 32U;
}
constexpr bool decode_ack(std::uint64_t offset, std::uint32_t& placed) {
  placed = static_cast<std::uint32_t>(offset >> 32U);
  return (offset & 0xffffffffU) == 0;
}

} // namespace datum::iwarp
