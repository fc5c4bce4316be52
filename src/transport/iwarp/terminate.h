// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/terminate.h: the Terminate message and the errors it reports.
#pragma once

#include <array>

#include "transport/iwarp/rdmap.h"

namespace datum::iwarp {

// RFC 5040 section 4.8: the layer that reports the error, its type and its code.
struct ErrorCode {
  std::uint8_t layer = 0;
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  bool operator==(const ErrorCode&) const = default;
};

// Layers and types.
inline constexpr std::uint8_t kLayerRdmap = 0;
inline constexpr std::uint8_t kLayerDdp = 1;
inline constexpr std::uint8_t kLayerMpa = 2;
inline constexpr std::uint8_t kLocalCatastrophic = 0; // RDMAP, DDP
inline constexpr std::uint8_t kRemoteProtection = 1;  // RDMAP
inline constexpr std::uint8_t kRemoteOperation = 2;   // RDMAP
inline constexpr std::uint8_t kTaggedBuffer = 1;      // DDP
inline constexpr std::uint8_t kUntaggedBuffer = 2;    // DDP

namespace error {
inline constexpr ErrorCode kLocal{0, 0, 0x00};
inline constexpr ErrorCode kProtectionStag{0, 1, 0x00};
inline constexpr ErrorCode kProtectionBounds{0, 1, 0x01};
inline constexpr ErrorCode kProtectionAccess{0, 1, 0x02};
inline constexpr ErrorCode kProtectionStream{0, 1, 0x03};
inline constexpr ErrorCode kProtectionWrap{0, 1, 0x04};
inline constexpr ErrorCode kProtectionInvalidate{0, 1, 0x09};
inline constexpr ErrorCode kRdmapVersion{0, 2, 0x05};
inline constexpr ErrorCode kOpcode{0, 2, 0x06};
inline constexpr ErrorCode kStreamCatastrophic{0, 2, 0x07};
inline constexpr ErrorCode kCannotInvalidate{0, 2, 0x09};
inline constexpr ErrorCode kRemoteUnspecified{0, 2, 0xff};
inline constexpr ErrorCode kDdpLocal{1, 0, 0x00};
inline constexpr ErrorCode kTaggedStag{1, 1, 0x00};
inline constexpr ErrorCode kTaggedBounds{1, 1, 0x01};
inline constexpr ErrorCode kTaggedStream{1, 1, 0x02};
inline constexpr ErrorCode kTaggedWrap{1, 1, 0x03};
inline constexpr ErrorCode kTaggedVersion{1, 1, 0x04};
inline constexpr ErrorCode kQueueNumber{1, 2, 0x01};
inline constexpr ErrorCode kNoBuffer{1, 2, 0x02};
inline constexpr ErrorCode kMsnRange{1, 2, 0x03};
inline constexpr ErrorCode kMessageOffset{1, 2, 0x04};
inline constexpr ErrorCode kTooLong{1, 2, 0x05};
inline constexpr ErrorCode kUntaggedVersion{1, 2, 0x06};
inline constexpr ErrorCode kStreamLost{2, 0, 0x01};
inline constexpr ErrorCode kCrc{2, 0, 0x02};
inline constexpr ErrorCode kInsufficientIrd{2, 0, 0x06};
inline constexpr ErrorCode kNoMatchingRtr{2, 0, 0x07};
} // namespace error

// True: the registries of RFC 6580 list this code.
bool is_assigned(const ErrorCode& code);
// A few words for the log.
const char* meaning(const ErrorCode& code);

struct Terminate {
  static constexpr std::size_t kMostOctets = 4 + 2 + UntaggedHeader::kWireSize + 28;
  ErrorCode error;
  bool has_length = false;  // M: the length of the offending segment
  bool has_header = false;  // D: its DDP header
  bool has_request = false; // R: the Read Request in it
  std::uint16_t segment_length = 0;
  std::array<std::byte, UntaggedHeader::kWireSize> header{};
  ReadRequest request;

  bool header_is_tagged() const { return (header[0] & std::byte{0x80}) != std::byte{0}; }
  std::size_t header_size() const {
    return header_is_tagged() ? TaggedHeader::kWireSize : UntaggedHeader::kWireSize;
  }
  bool operator==(const Terminate&) const = default;
};

// A stream has one Terminate (RFC 5040 section 5.4), so it is the first and only message of its
// queue. What it may say (RFC 5040 section 4.8) fits in one segment.
constexpr bool may_carry_terminate(const UntaggedHeader& header) {
  return header.control.last && header.queue == kTerminateQueue && header.msn == kFirstMsn &&
         header.offset == 0;
}

// Returns how many octets of payload were written, at most Terminate::kMostOctets.
std::size_t encode(const Terminate& terminate, std::byte* to);
// `payload` may be shorter than its flags promise, longer, or in the bit order of Linux siw. The
// fields that are there are decoded. False: the codes are missing.
bool decode(Octets payload, Terminate& terminate);

} // namespace datum::iwarp
