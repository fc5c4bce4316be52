// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/payload_cut.h"

namespace datum::iwarp {
namespace {

// With a CRC, which has to be that of what is sent: programs write into what they have just posted,
// though they must not. Above this copies would cost too much of the bandwidth.
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
  // The short FPDU goes first: a peer that reads the end of a large one can take it along, and the next
  // header with it.
  const std::uint64_t most = stream.most_ulpdu - left.header;
  const std::uint64_t rest = left.octets <= most ? left.octets : left.octets % most;
  const auto whole = static_cast<std::size_t>(rest != 0 || left.octets == 0 ? rest : most);
  if (*room >= whole) return whole;
  // A piece that is cut short by what is left of the chunk only costs a header more.
  if (left.in_full || *room < kLeastCopiedPayload) return std::nullopt;
  return *room;
}

} // namespace datum::iwarp
