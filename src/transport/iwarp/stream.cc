// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/stream.h"

#include <algorithm>

namespace datum::iwarp {

ErrorCode protection_error(AccessFault fault) {
  switch (fault) {
  case AccessFault::WrongZone: return error::kProtectionStream;
  case AccessFault::NoRight: return error::kProtectionAccess;
  case AccessFault::Wraps: return error::kProtectionWrap;
  case AccessFault::OutOfBounds: return error::kProtectionBounds;
  default: return error::kProtectionStag;
  }
}

ErrorCode tagged_error(AccessFault fault) {
  switch (fault) {
  case AccessFault::WrongZone: return error::kTaggedStream;
  case AccessFault::Wraps: return error::kTaggedWrap;
  case AccessFault::OutOfBounds: return error::kTaggedBounds;
  default: return error::kTaggedStag; // DDP has no code for a right that is missing
  }
}

Terminate make_terminate(ErrorCode error) {
  Terminate terminate;
  terminate.error = error;
  return terminate;
}

Terminate make_terminate(ErrorCode error, std::uint16_t ulpdu, Octets header) {
  Terminate terminate = make_terminate(error);
  terminate.has_length = terminate.has_header = true;
  terminate.segment_length = ulpdu;
  terminate.header[0] = header[0]; // its first bit tells the size of the header
  const Octets echo = header.first(terminate.header_size());
  std::copy(echo.begin(), echo.end(), terminate.header.begin());
  return terminate;
}

Terminate make_terminate(ErrorCode error, std::uint32_t msn, const ReadRequest& request) {
  const UntaggedHeader header{
      .control = {.last = true, .opcode = Rdmap::ReadRequest}, .queue = kReadQueue, .msn = msn};
  std::byte octets[UntaggedHeader::kWireSize];
  WireWriter out(octets);
  encode(header, out);
  Terminate terminate =
      make_terminate(error, UntaggedHeader::kWireSize + ReadRequest::kWireSize, octets);
  terminate.has_request = true;
  terminate.request = request;
  return terminate;
}

} // namespace datum::iwarp
