// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/terminate.h"

#include <algorithm>

namespace datum::iwarp {
namespace {

constexpr unsigned kLengthBit = 0x80;
constexpr unsigned kHeaderBit = 0x40;
constexpr unsigned kRequestBit = 0x20;
// The places of the bits as Linux siw sends them on a little-endian machine.
constexpr unsigned kSiwLengthBit = 0x01;
constexpr unsigned kSiwHeaderBit = 0x02;
constexpr unsigned kSiwRequestBit = 0x04;

ErrorCode standard(std::uint8_t first, std::uint8_t code) {
  return {static_cast<std::uint8_t>(first >> 4U), static_cast<std::uint8_t>(first & 0x0fU), code};
}

ErrorCode swapped(std::uint8_t first, std::uint8_t code) {
  return {static_cast<std::uint8_t>(first & 0x0fU), static_cast<std::uint8_t>(first >> 4U), code};
}

bool is_swapped(std::uint8_t first, std::uint8_t code, unsigned flags) {
  if ((flags & (kLengthBit | kHeaderBit | kRequestBit)) != 0) return false;
  if ((flags & (kSiwLengthBit | kSiwHeaderBit | kSiwRequestBit)) != 0) return true;
  return !is_assigned(standard(first, code)) && is_assigned(swapped(first, code));
}

} // namespace

bool is_assigned(const ErrorCode& error) {
  const std::uint8_t code = error.code;
  switch (error.layer << 4U | error.type) {
  case 0x00: return true;
  case 0x01: return code <= 0x04 || code == 0x09 || code == 0xff;
  case 0x02: return (code >= 0x05 && code <= 0x09) || code == 0xff;
  case 0x10: return code == 0x00;
  case 0x11: return code <= 0x04;
  case 0x12: return code >= 0x01 && code <= 0x06;
  case 0x20: return code >= 0x01 && code <= 0x07;
  default: return false;
  }
}

const char* meaning(const ErrorCode& error) {
  if (error == error::kCrc)
    return "a wrong CRC: damaged on the way, or the sender's program wrote into memory that was "
           "being sent";
  if (error == error::kStreamLost) return "the other side fell silent in the middle of a frame";
  if (error == error::kLocal) return "an abrupt disconnect, or an error of that side itself";
  switch (error.layer << 4U | error.type) {
  case 0x01: return "memory that the request may not touch";
  case 0x11: return "memory that the Write or the Read Response may not touch";
  case 0x02:
  case 0x12: return "a message that cannot be accepted";
  case 0x20: return "a frame or a negotiation that cannot be accepted";
  default: return "an error of that side itself";
  }
}

std::size_t encode(const Terminate& terminate, std::byte* to) {
  const ErrorCode& error = terminate.error;
  WireWriter out(to);
  out.u8(static_cast<std::uint8_t>(unsigned{error.layer} << 4U | (error.type & 0x0fU)));
  out.u8(error.code);
  out.u8(static_cast<std::uint8_t>((terminate.has_length ? kLengthBit : 0U) |
                                   (terminate.has_header ? kHeaderBit : 0U) |
                                   (terminate.has_request ? kRequestBit : 0U)));
  out.u8(0);
  if (terminate.has_length || terminate.has_header) out.u16(terminate.segment_length);
  if (terminate.has_header) out.octets(Octets(terminate.header).first(terminate.header_size()));
  if (terminate.has_request) encode(terminate.request, out);
  return static_cast<std::size_t>(out.at() - to);
}

bool decode(Octets payload, Terminate& terminate) {
  WireReader in(payload);
  std::uint8_t first = 0;
  std::uint8_t code = 0;
  std::uint8_t flags = 0;
  std::uint8_t reserved = 0;
  if (!in.u8(first) || !in.u8(code) || !in.u8(flags) || !in.u8(reserved)) return false;
  terminate = {};
  const bool siw = is_swapped(first, code, flags);
  terminate.error = siw ? swapped(first, code) : standard(first, code);
  const bool length = (flags & (siw ? kSiwLengthBit : kLengthBit)) != 0;
  const bool header = (flags & (siw ? kSiwHeaderBit : kHeaderBit)) != 0;
  const bool request = (flags & (siw ? kSiwRequestBit : kRequestBit)) != 0;
  if (!length && !header) return true;
  if (!in.u16(terminate.segment_length)) return true;
  terminate.has_length = length;
  if (!header || in.left().empty()) return true;
  terminate.header[0] = in.left()[0];
  Octets echo;
  if (!in.octets(terminate.header_size(), echo)) {
    terminate.header[0] = std::byte{0};
    return true;
  }
  terminate.has_header = true;
  std::copy(echo.begin(), echo.end(), terminate.header.begin());
  ReadRequest echoed;
  if (request && decode(in, echoed)) {
    terminate.has_request = true;
    terminate.request = echoed;
  }
  return true;
}

} // namespace datum::iwarp
