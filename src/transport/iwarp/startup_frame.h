// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/startup_frame.h: the MPA request and reply (RFC 5044 section 7.1.1, RFC 6581).
// Not here: the choice of their contents (negotiation.h).
#pragma once

#include <optional>

#include "transport/iwarp/wire.h"

namespace datum::iwarp {

inline constexpr std::size_t kMostPrivateData = 512; // on the wire, with the enhanced data

// RFC 6581 section 9: IRD, ORD and how the initiator shows that it is ready, four octets in front
// of the consumer's private data.
struct EnhancedData {
  static constexpr std::size_t kWireSize = 4;
  bool peer_to_peer = false; // A: the initiator will send an RTR frame
  bool rtr_send = false;     // B
  bool rtr_write = false;    // C
  bool rtr_read = false;     // D
  std::uint16_t ird = 0;     // the IRD of the frame's sender
  std::uint16_t ord = 0;
  bool operator==(const EnhancedData&) const = default;
};
inline constexpr std::uint16_t kNotNegotiated = 0x3fff; // an IRD or ORD that the consumers agree on

constexpr void encode(const EnhancedData& data, WireWriter& out) {
  out.u16(static_cast<std::uint16_t>((data.peer_to_peer ? 0x8000U : 0U) |
                                     (data.rtr_send ? 0x4000U : 0U) | (data.ird & 0x3fffU)));
  out.u16(static_cast<std::uint16_t>((data.rtr_write ? 0x8000U : 0U) |
                                     (data.rtr_read ? 0x4000U : 0U) | (data.ord & 0x3fffU)));
}
constexpr bool decode(WireReader& in, EnhancedData& data) {
  std::uint16_t ird = 0;
  std::uint16_t ord = 0;
  if (!in.u16(ird) || !in.u16(ord)) return false;
  data.peer_to_peer = (ird & 0x8000U) != 0;
  data.rtr_send = (ird & 0x4000U) != 0;
  data.rtr_write = (ord & 0x8000U) != 0;
  data.rtr_read = (ord & 0x4000U) != 0;
  data.ird = ird & 0x3fffU;
  data.ord = ord & 0x3fffU;
  return true;
}
static_assert(round_trips(EnhancedData{.peer_to_peer = true, .rtr_read = true, .ird = 16}));
static_assert(round_trips(EnhancedData{.rtr_send = true, .rtr_write = true, .ord = 0x3fff}));

struct StartupFrame {
  static constexpr std::size_t kFixedSize = 20;
  static constexpr std::size_t kMostSize = kFixedSize + kMostPrivateData;

  bool reply = false;
  bool markers = false;  // M: the sender wants markers in what it receives
  bool crc = false;      // C
  bool rejected = false; // R: replies only
  std::uint8_t revision = 2;
  std::optional<EnhancedData> enhanced; // S
  Octets private_data;                  // the consumer's; refers to the octets that were decoded

  std::size_t wire_size() const {
    return kFixedSize + (enhanced ? EnhancedData::kWireSize : 0) + private_data.size();
  }
};

// `to` has room for wire_size() octets.
void encode(const StartupFrame& frame, std::byte* to);

enum class StartupProgress : std::uint8_t { Incomplete, Complete, Bad };

// `arrived`: all octets so far. `frame.reply` tells which kind is expected. Complete: `size` is
// where the frame ends; more octets may have arrived.
StartupProgress decode(Octets arrived, StartupFrame& frame, std::size_t& size);

} // namespace datum::iwarp
