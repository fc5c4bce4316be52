// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/payload_cut.h"

namespace datum::iwarp {
namespace {

// If there is a CRC, payload up to this size is copied. The CRC has to be that of the octets that
// are sent, and programs write into memory that they have just posted, though they must not. Larger
// copies would cost too much bandwidth.
constexpr std::size_t kCopyMostWithCrc = 8 * 1024;
static_assert(kCopyMostWithCrc >= kAlwaysCopied);
constexpr std::size_t kLeastCopiedPayload = 4096;

} // namespace

bool is_copied(const Stream& stream, std::uint64_t left) {
  return left <= (stream.terms.crc ? kCopyMostWithCrc : kAlwaysCopied);
}

std::optional<std::size_t> next_payload(const Stream& stream, const OutputQueue& queue,
                                        const PayloadLeft& left) {
  const std::optional<std::size_t> room = queue.room_for(left.header, left.segments, left.copied);
  if (!room) return std::nullopt;
  // The short FPDU of a message goes first. With the end of a large FPDU, the peer can then read
  // the short FPDU of the next message and the header behind it.
  const std::uint64_t most = stream.most_ulpdu - left.header;
  const std::uint64_t rest = left.octets <= most ? left.octets : left.octets % most;
  const auto whole = static_cast<std::size_t>(rest != 0 || left.octets == 0 ? rest : most);
  if (*room >= whole) return whole;
  // If the room in the chunk makes an FPDU shorter, this only costs one more header.
  if (left.in_full || *room < kLeastCopiedPayload) return std::nullopt;
  return *room;
}

} // namespace datum::iwarp
