// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/types.h: the small values that core objects exchange: flags, segments, attributes,
// limits.
// Lives here: the core's own records, with 64-bit lengths, for DAT 1.2 and 2.0 alike.
// Not here:   DAT headers, sockets, clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace datum {

// A socket address, opaque to the core: transports and facades agree on its bytes.
struct Address {
  alignas(8) std::byte bytes[32] = {};
  bool operator==(const Address& other) const {
    return std::memcmp(bytes, other.bytes, sizeof bytes) == 0;
  }
};

using ConnQual = std::uint64_t;
using Stag = std::uint32_t; // index << 8 | key; 0 names nothing
using Token = void*;        // a facade's name of an object: its handle
using PrivateData = std::span<const std::byte>;

// The most octets of private data in an answer of any peer: the limit of MPA (RFC 5044 section
// 7.1.1). Datum's own peers send less (Limits::max_private_data).
inline constexpr std::size_t kMostPrivateDataOfAnswer = 512;

// The most octets that the core puts before a consumer's private data. Transports carry them in
// addition to Limits::max_private_data.
inline constexpr std::size_t kPrivateDataMark = 16;

// Rights on memory; the values of DAT_MEM_PRIV_FLAGS.
using Access = std::uint32_t;
inline constexpr Access kLocalRead = 0x01;
inline constexpr Access kRemoteRead = 0x02;
inline constexpr Access kLocalWrite = 0x10;
inline constexpr Access kRemoteWrite = 0x20;
inline constexpr Access kAllAccess = 0x33;
inline constexpr Access kRemoteAtomic = 0x40; // since DAT 2.0, by extension

// Completion flags; the values of DAT_COMPLETION_FLAGS.
using CompletionFlags = std::uint32_t;
inline constexpr CompletionFlags kDefaultCompletion = 0x00;
inline constexpr CompletionFlags kSuppress = 0x01;
inline constexpr CompletionFlags kSolicitedWait = 0x02;
inline constexpr CompletionFlags kUnsignalled = 0x04;
inline constexpr CompletionFlags kBarrierFence = 0x08;
inline constexpr CompletionFlags kEvdThreshold = 0x10;

// Whether completion streams may share an EVD. Lenient: only outside strict mode. If two checks
// give different values, the smaller value counts.
enum class Sharing : std::uint8_t { Refused, Lenient, Allowed };

// How a DTO or a bind ended; the values of DAT_DTO_COMPLETION_STATUS.
enum class DtoStatus : std::uint8_t {
  Success = 0,
  Flushed = 1,
  LocalLength = 2,
  LocalEp = 3,
  LocalProtection = 4,
  BadResponse = 5,
  RemoteAccess = 6,
  RemoteResponder = 7,
  Transport = 8,
  ReceiverNotReady = 9,
  PartialPacket = 10,
  BindFailed = 11,
};

// The opcodes form three classes, in this order: operations that end when they are placed, binds,
// and operations that the peer answers with data.
enum class Opcode : std::uint8_t {
  Send,
  RdmaWrite,
  SendInvalidate, // since DAT 2.0
  WriteImmediate, // by extension of DAT 2.0: a Write, then an empty message with a number
  Datagram,       // by extension of DAT 2.0; a transport sees a Send on a separate channel
  Bind,
  RdmaRead,
  FetchAdd, // by extension of DAT 2.0; CompareSwap, too
  CompareSwap,
};
inline constexpr std::size_t kOpcodes = 9;

constexpr bool is_atomic(Opcode opcode) {
  return opcode == Opcode::FetchAdd || opcode == Opcode::CompareSwap;
}
// True: the peer answers with data. The request counts against the limit of outstanding Reads.
constexpr bool is_read_class(Opcode opcode) {
  return opcode >= Opcode::RdmaRead;
}
constexpr bool is_placed_class(Opcode opcode) {
  return opcode < Opcode::Bind;
}
// True: the message waits until the peer has posted a Recv for it.
constexpr bool takes_receive(Opcode opcode) {
  return opcode == Opcode::Send || opcode == Opcode::SendInvalidate ||
         opcode == Opcode::WriteImmediate;
}
// True: the request has a RequestExtra.
constexpr bool is_extended(Opcode opcode) {
  return opcode == Opcode::SendInvalidate || opcode == Opcode::WriteImmediate || is_atomic(opcode);
}

// What a message carries besides its bytes.
struct MessageNote {
  Opcode by = Opcode::Send;  // Send: there is no note
  std::uint32_t value = 0;   // SendInvalidate: the STag; WriteImmediate: the consumer's number
  std::uint64_t written = 0; // WriteImmediate: octets of the Write
  bool any() const { return by != Opcode::Send; }
};

// The operands of an Atomic, which replaces eight octets at the peer in one step.
struct AtomicOperands {
  std::uint64_t operand = 0; // the number to add, or the new value
  std::uint64_t compare = 0; // CompareSwap: the value that must be at the peer
};

// The opcode of the request says which member is valid. For an opcode that is not is_extended() no
// member is written.
union RequestExtra {
  RequestExtra() {} // NOLINT(modernize-use-equals-default): a defaulted one is deleted
  MessageNote note;
  AtomicOperands atomic;
};

// A piece of registered local memory as the consumer names it.
struct LocalTriplet {
  Stag stag = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

// A piece of the peer's registered memory.
struct RemoteTriplet {
  Stag stag = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

// A checked piece of local memory, ready to be copied from or to.
struct Segment {
  std::byte* address = nullptr;
  std::uint64_t length = 0;
};

// EP attributes (DAT_EP_ATTR).
struct EndpointAttributes {
  std::uint64_t max_message_size = 0;
  std::uint64_t max_rdma_size = 0;
  std::uint64_t rdma_bound = 0; // the limit that posts check; in DAT 2.0 max_rdma_size is advice
  std::uint32_t qos = 0;
  CompletionFlags recv_completion_flags = kDefaultCompletion;
  CompletionFlags request_completion_flags = kDefaultCompletion;
  std::int32_t max_recv_dtos = 0;
  std::int32_t max_request_dtos = 0;
  std::int32_t max_recv_iov = 0;
  std::int32_t max_request_iov = 0;
  std::int32_t max_rdma_read_in = 0;
  std::int32_t max_rdma_read_out = 0;
  std::int32_t srq_soft_hw = -1;
  std::int32_t max_rdma_read_iov = 0;  // 0: as max_request_iov
  std::int32_t max_rdma_write_iov = 0; // 0: as max_request_iov
  bool reads_out_chosen = false;       // the consumer chose max_rdma_read_out; else Datum did
  bool datagrams = false;              // by extension of DAT 2.0: many peers, no connection
};

inline constexpr std::int32_t kWatermarkInfinite = -1;

// The longest datagram, and the offset at which it begins in its Recv. InfiniBand puts its Global
// Route Header into the octets before that offset.
inline constexpr std::uint64_t kMaxDatagram = 4096;
inline constexpr std::uint64_t kDatagramOffset = 40;

// The limits and features of an adapter (DAT_IA_ATTR, DAT_PROVIDER_ATTR). The transport sets them.
// A lower limit here says what the transport cannot do, and the core refuses calls that exceed it.
struct Limits {
  std::int32_t max_eps = 65536;
  std::int32_t max_dto_per_ep = 65536;
  std::int32_t max_evds = 65536;
  std::int32_t max_evd_qlen = 1 << 20;
  std::int32_t max_iov = 64; // segments per Send, Recv, Read and Write
  std::int32_t max_lmrs = 65536;
  std::int32_t max_rmrs = 65536;
  std::int32_t max_pzs = 65536;
  std::int32_t max_srqs = 4096;
  std::int32_t max_ep_per_srq = 65536;
  std::int32_t max_recv_per_srq = 65536;
  std::int32_t max_read_in_per_ep = 128;
  std::int32_t max_read_out_per_ep = 128;
  std::int32_t max_read_in = 65536 * 128; // every EP can have its maximum
  std::int32_t max_read_out = 65536 * 128;
  std::int32_t max_private_data = 256;
  std::uint64_t max_message_size = std::uint64_t{1} << 32U;
  std::uint64_t max_rdma_size = std::uint64_t{1} << 32U;
  std::uint64_t max_lmr_size = std::uint64_t{1} << 47U;
  // True: the transport, not the core, matches messages with Recvs. This is meant for hardware. No
  // transport sets it so far, and the core does not read it (docs/design/seam.md).
  bool matches_receives = false;
};

using NamedAttributes = std::vector<std::pair<std::string, std::string>>;

// Why an access was refused, in the order of the checks.
enum class AccessFault : std::uint8_t { None, BadStag, WrongZone, NoRight, Wraps, OutOfBounds };

} // namespace datum
