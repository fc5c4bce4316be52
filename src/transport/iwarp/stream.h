// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/stream.h: the state that the two directions of one connection share, and their
// calls on the session.
#pragma once

#include "core/port/transport.h"
#include "transport/iwarp/negotiation.h"
#include "transport/iwarp/own_peer.h"
#include "transport/iwarp/terminate.h"

namespace datum::iwarp {

enum class PeerKind : std::uint8_t {
  Undecided, // this side sent Hello, and the peer has not answered yet
  Foreign,
  Own,
};

struct Stream {
  ChannelEvents* events = nullptr;
  bool takes_extensions = false; // opcodes 8 to 11 may arrive
  Terms terms;
  PeerKind peer = PeerKind::Foreign;
  bool peer_takes_extensions = false;   // opcodes 8 to 11 may be sent
  std::size_t most_ulpdu = kLeastUlpdu; // the largest that this side sends
  std::size_t most_unexpected = 0; // octets that messages without a Recv may take (decision 305)
  Instant now = 0;
  bool ended = false; // nothing is read or built any more
  // How many Sends and Writes of the peer have been placed, and how many of them an Ack has
  // reported.
  std::uint32_t placed = 0;
  std::uint32_t told = 0;
};

// fail() and fail_request() end the connection. Nothing is read or built afterwards.
class StreamControl {
 public:
  // The peer broke a rule, or its request failed here.
  virtual void fail(const Terminate& terminate) = 0;
  // A request of this side failed here, behind `before` others of its class.
  virtual void fail_request(RequestClass kind, DtoStatus status, std::uint32_t before) = 0;
  // `header` is that of the segment that brought the Terminate.
  virtual void on_terminate(const Terminate& terminate, const UntaggedHeader& header) = 0;
  virtual void on_peer_close() = 0;
  // The first FPDU was whole and its CRC good, but it breaks a rule. fail() follows, and names the
  // rule.
  virtual void on_valid_fpdu() = 0;
  // The first FPDU was valid and breaks no rule. `hello`: nullptr if it was no Hello.
  virtual void on_first_fpdu(const Hello* hello) = 0;

 protected:
  ~StreamControl() = default;
};

// The error for memory that a Read or Atomic Request names (decision 410, checks 15 to 19).
ErrorCode protection_error(AccessFault fault);
// The error for memory that a Write names (checks 20 to 24).
ErrorCode tagged_error(AccessFault fault);

// The echo of RFC 5040 section 4.8: the offending segment's header, as far as its layout is known.
Terminate make_terminate(ErrorCode error);
Terminate make_terminate(ErrorCode error, std::uint16_t ulpdu, Octets header);
Terminate make_terminate(ErrorCode error, std::uint32_t msn, const ReadRequest& request);

} // namespace datum::iwarp
