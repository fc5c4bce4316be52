// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/ddp.h: DDP segments: their control octets and the two headers.
#pragma once

#include "core/port/types.h"
#include "transport/iwarp/wire.h"

namespace datum::iwarp {

// RFC 5040 section 4.2 and RFC 7306 section 4.2: the opcode of a message, four bits on the wire
// (RFC 5040 section 4.1). No message has one of the other values.
enum class Rdmap : std::uint8_t {
  Write = 0,
  ReadRequest = 1,
  ReadResponse = 2,
  Send = 3,
  SendInvalidate = 4,
  SendSolicited = 5,
  SendSolicitedInvalidate = 6,
  Terminate = 7,
  Immediate = 8,
  ImmediateSolicited = 9,
  AtomicRequest = 10,
  AtomicResponse = 11,
};
inline constexpr std::uint8_t kLastOpcode = 11;

constexpr bool is_tagged(Rdmap opcode) {
  return opcode == Rdmap::Write || opcode == Rdmap::ReadResponse;
}
constexpr bool is_send(Rdmap opcode) {
  return opcode >= Rdmap::Send && opcode <= Rdmap::SendSolicitedInvalidate;
}
constexpr bool is_immediate(Rdmap opcode) {
  return opcode == Rdmap::Immediate || opcode == Rdmap::ImmediateSolicited;
}
constexpr bool is_invalidating(Rdmap opcode) {
  return opcode == Rdmap::SendInvalidate || opcode == Rdmap::SendSolicitedInvalidate;
}
constexpr bool is_solicited(Rdmap opcode) {
  return opcode == Rdmap::SendSolicited || opcode == Rdmap::SendSolicitedInvalidate ||
         opcode == Rdmap::ImmediateSolicited;
}
constexpr bool is_extension(Rdmap opcode) {
  return opcode >= Rdmap::Immediate;
}

// RFC 5041 section 5.1.2 and RFC 7306 section 10.2: the queues of untagged messages.
inline constexpr std::uint32_t kSendQueue = 0;
inline constexpr std::uint32_t kReadQueue = 1; // Read and Atomic Requests (RFC 7306 section 5.2)
inline constexpr std::uint32_t kTerminateQueue = 2;
inline constexpr std::uint32_t kAtomicQueue = 3; // Atomic Responses

constexpr std::uint32_t queue_of(Rdmap opcode) {
  switch (opcode) {
  case Rdmap::ReadRequest:
  case Rdmap::AtomicRequest: return kReadQueue;
  case Rdmap::Terminate: return kTerminateQueue;
  case Rdmap::AtomicResponse: return kAtomicQueue;
  default: return kSendQueue;
  }
}

// RFC 5041 section 4.1 with RFC 5040 section 4.1: two octets that every segment begins with.
// Reserved bits are sent as zero, and ignored when they arrive.
struct Control {
  static constexpr std::size_t kWireSize = 2;
  bool tagged = false;
  bool last = false;
  std::uint8_t ddp_version = 1;
  std::uint8_t rdmap_version = 1;
  Rdmap opcode = Rdmap::Write; // as received: the value may have no name here
  bool operator==(const Control&) const = default;
};

constexpr void encode(const Control& control, WireWriter& out) {
  const unsigned tagged = control.tagged ? 0x80U : 0U;
  const unsigned last = control.last ? 0x40U : 0U;
  out.u8(static_cast<std::uint8_t>(tagged | last | (control.ddp_version & 0x03U)));
  out.u8(static_cast<std::uint8_t>((control.rdmap_version & 0x03U) << 6U |
                                   (static_cast<unsigned>(control.opcode) & 0x0fU)));
}
constexpr bool decode(WireReader& in, Control& control) {
  std::uint8_t ddp = 0;
  std::uint8_t rdmap = 0;
  if (!in.u8(ddp) || !in.u8(rdmap)) return false;
  control.tagged = (ddp & 0x80U) != 0;
  control.last = (ddp & 0x40U) != 0;
  control.ddp_version = ddp & 0x03U;
  control.rdmap_version = rdmap >> 6U;
  control.opcode = static_cast<Rdmap>(rdmap & 0x0fU);
  return true;
}
static_assert(round_trips(Control{.tagged = true, .opcode = Rdmap::ReadResponse}));
static_assert(round_trips(Control{.last = true, .ddp_version = 2, .rdmap_version = 3}));

// RFC 5041 section 4.2: a segment that says where its payload belongs.
struct TaggedHeader {
  static constexpr std::size_t kWireSize = 14;
  Control control{.tagged = true};
  Stag stag = 0;
  std::uint64_t offset = 0; // TO, of this segment's payload
  bool operator==(const TaggedHeader&) const = default;
};

constexpr void encode(const TaggedHeader& header, WireWriter& out) {
  encode(header.control, out);
  out.u32(header.stag).u64(header.offset);
}
constexpr bool decode(WireReader& in, TaggedHeader& header) {
  return decode(in, header.control) && in.u32(header.stag) && in.u64(header.offset);
}
static_assert(round_trips(TaggedHeader{.stag = 0x12345601, .offset = 0x7f0011223344}));

// RFC 5041 section 4.3: a segment of a message that takes the next buffer of a queue.
struct UntaggedHeader {
  static constexpr std::size_t kWireSize = 18;
  Control control{};
  Stag invalidate = 0; // for Send with Invalidate; otherwise sent as zero, and ignored
  std::uint32_t queue = 0;
  std::uint32_t msn = 0;
  std::uint32_t offset = 0; // MO, of this segment's payload in the message
  bool operator==(const UntaggedHeader&) const = default;
};

constexpr void encode(const UntaggedHeader& header, WireWriter& out) {
  encode(header.control, out);
  out.u32(header.invalidate).u32(header.queue).u32(header.msn).u32(header.offset);
}
constexpr bool decode(WireReader& in, UntaggedHeader& header) {
  return decode(in, header.control) && in.u32(header.invalidate) && in.u32(header.queue) &&
         in.u32(header.msn) && in.u32(header.offset);
}
static_assert(round_trips(UntaggedHeader{.invalidate = 0xabcdef07, .queue = 1, .msn = 7}));

inline constexpr std::uint32_t kFirstMsn = 1; // 1, not 0 (RFC 5041 section 4.3)

} // namespace datum::iwarp
