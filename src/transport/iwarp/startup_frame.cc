// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/startup_frame.h"

#include <algorithm>
#include <cstring>

namespace datum::iwarp {
namespace {

constexpr std::size_t kKeySize = 16;
constexpr char kRequestKey[] = "MPA ID Req Frame";
constexpr char kReplyKey[] = "MPA ID Rep Frame";
static_assert(sizeof kRequestKey == kKeySize + 1 && sizeof kReplyKey == kKeySize + 1);

constexpr unsigned kMarkers = 0x80;
constexpr unsigned kCrc = 0x40;
constexpr unsigned kRejected = 0x20;
constexpr unsigned kEnhanced = 0x10; // from revision 2 on; before, a reserved bit

Octets key(bool reply) {
  return std::as_bytes(std::span(reply ? kReplyKey : kRequestKey, kKeySize));
}

} // namespace

void encode(const StartupFrame& frame, std::byte* to) {
  WireWriter out(to);
  out.octets(key(frame.reply));
  out.u8(static_cast<std::uint8_t>((frame.markers ? kMarkers : 0U) | (frame.crc ? kCrc : 0U) |
                                   (frame.rejected ? kRejected : 0U) |
                                   (frame.enhanced ? kEnhanced : 0U)));
  out.u8(frame.revision);
  out.u16(static_cast<std::uint16_t>(frame.wire_size() - StartupFrame::kFixedSize));
  if (frame.enhanced) encode(*frame.enhanced, out);
  out.octets(frame.private_data);
}

StartupProgress decode(Octets arrived, StartupFrame& frame, std::size_t& size) {
  // A peer of another protocol is noticed at its first octets, not only after 20 of them.
  const std::size_t known = std::min(arrived.size(), kKeySize);
  if (known == 0) return StartupProgress::Incomplete;
  if (std::memcmp(arrived.data(), key(frame.reply).data(), known) != 0) return StartupProgress::Bad;
  if (arrived.size() < StartupFrame::kFixedSize) return StartupProgress::Incomplete;
  WireReader in(arrived.subspan(kKeySize));
  std::uint8_t flags = 0;
  std::uint16_t length = 0;
  if (!in.u8(flags) || !in.u8(frame.revision) || !in.u16(length)) return StartupProgress::Bad;
  if (length > kMostPrivateData) return StartupProgress::Bad;
  const bool enhanced = frame.revision >= 2 && (flags & kEnhanced) != 0;
  if (enhanced && length < EnhancedData::kWireSize) return StartupProgress::Bad;
  size = StartupFrame::kFixedSize + length;
  if (arrived.size() < size) return StartupProgress::Incomplete;
  frame.markers = (flags & kMarkers) != 0;
  frame.crc = (flags & kCrc) != 0;
  frame.rejected = frame.reply && (flags & kRejected) != 0; // ignored in a request
  WireReader data(arrived.subspan(StartupFrame::kFixedSize, length));
  EnhancedData terms;
  if (enhanced && !decode(data, terms)) return StartupProgress::Bad;
  frame.enhanced = enhanced ? std::optional(terms) : std::nullopt;
  frame.private_data = data.left();
  return StartupProgress::Complete;
}

} // namespace datum::iwarp
