// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/record.h: a record of the ring: a header of one cache line, then payload.
// Lives here: the layout (a wire format between two processes, host order) and its constants.
// Not here:   what a record does (link.cc, link_channel.cc and its parts). What else a new field
//             changes: CONTRIBUTING.md, "A field in a ring record".
#pragma once

#include <cstdint>
#include <type_traits>

#include "transport/link/ring.h"

namespace datum {

enum class RecordType : std::uint8_t {
  None = 0,
  Send,        // a message, or a piece of one
  SendFetch,   // a message that the receiver fetches from the sender's registered memory
  Write,       // RDMA Write carried by the ring, or a piece of one
  ReadRequest, // RDMA Read that the target carries out
  ReadData,    // the answer to a ReadRequest or an Atomic, in pieces
  Ack,         // carries only the two counters of every header
  Connect,
  Accept,
  Confirm,
  Refuse,
  Close,
  Terminate,
  Note,   // the note of the next message: a window to invalidate, or immediate data
  Atomic, // eight octets that the target replaces; answered with ReadData
};

namespace record_flag {
inline constexpr std::uint8_t kLast = 0x01;       // the last piece of its message, Write or Read
inline constexpr std::uint8_t kSolicited = 0x02;  // Send, SendFetch
inline constexpr std::uint8_t kByConsumer = 0x04; // Refuse: from dat_cr_reject, not the provider
inline constexpr std::uint8_t kOrderly = 0x08;    // Close: a disconnect; otherwise an abort
inline constexpr std::uint8_t kReadClass = 0x10;  // Terminate: a Read failed
inline constexpr std::uint8_t kCompare = 0x20;    // Atomic: compare and swap; otherwise add
inline constexpr std::uint8_t kFetching = 0x40;   // Ack: the message to fetch has found its Recv
} // namespace record_flag

inline constexpr std::uint32_t kInlinePayload = 40;
inline constexpr std::uint32_t kWriteInlinePayload = 24;

struct RdmaFields {
  std::uint32_t stag;
  std::uint32_t unused;
  std::uint64_t address;
};

struct ConnectFields {
  std::uint64_t qualifier; // Connect only
  std::uint32_t number;    // the sender's number of the connection
  std::uint32_t zone;
  std::uint32_t endpoint;
  std::int32_t reads_in;
  std::uint32_t private_data_size;
  std::uint32_t port; // Connect: the local port as the requester's consumer sees it
};

struct WriteFields {
  RdmaFields rdma;
  std::byte payload[kWriteInlinePayload];
};

struct ReadFields {
  RdmaFields rdma;
  std::uint64_t length;
};

struct FetchFields {
  std::uint64_t length;
  std::uint32_t segments;
};

struct NoteFields {
  std::uint64_t written; // MessageNote::written
  std::uint32_t value;
  std::uint32_t by; // Opcode: SendInvalidate or WriteImmediate
};

struct AtomicFields {
  RdmaFields rdma;
  std::uint64_t operand;
  std::uint64_t compare;
};

struct TerminateFields {
  std::uint32_t before; // earlier requests of the failed one's class that have not ended
};

struct RecordHeader {
  std::uint32_t ring_word; // RingSlot::sequence, which belongs to the ring
  RecordType type;
  std::uint8_t flags;
  std::uint8_t status; // Terminate: DtoStatus
  std::uint8_t unused;
  std::uint32_t connection; // the receiver's number of the connection; 0: none yet
  std::uint32_t acked;      // how many messages and Writes the record's sender has placed
  std::uint32_t returned;   // how many payload octets of Sends the record's sender has placed
  std::uint32_t length;     // payload octets of this record
  union {
    std::byte payload[kInlinePayload];
    RdmaFields rdma; // Write, ReadRequest, ReadData
    WriteFields write;
    ReadFields read;
    FetchFields fetch;
    ConnectFields connect;
    TerminateFields terminate;
    NoteFields note;
    AtomicFields atomic;
  };
};
static_assert(sizeof(RecordHeader) == kLineSize && std::is_trivially_copyable_v<RecordHeader>);

// One source segment of a SendFetch. The record's payload is a list of them.
struct FetchSegment {
  std::uint32_t stag;
  std::uint32_t unused;
  std::uint64_t address;
  std::uint64_t length;
};
static_assert(sizeof(FetchSegment) == 24);

inline constexpr std::uint32_t kMaxFetchSegments = 64;
// The largest payload of one record.
inline constexpr std::uint32_t kMaxPiece = 8192;
static_assert(kMaxPiece / kLineSize <= kMaxRecordLines);
// The most octets of Sends on the way that the receiver has not placed. A receiver without posted
// Recvs may have to keep that many (decision 305: a documented bound).
inline constexpr std::uint32_t kSendWindow = 64 * 1024;

// How many octets of payload the header of a record of `type` holds. A longer payload lies in lines
// of the room, all of it.
constexpr std::uint32_t inline_room(RecordType type) {
  if (type == RecordType::Send || type == RecordType::ReadData) return kInlinePayload;
  return type == RecordType::Write ? kWriteInlinePayload : 0;
}

// How many lines of the room a payload of this length takes.
constexpr std::uint32_t lines_for(std::uint32_t payload, std::uint32_t inline_room) {
  return payload <= inline_room ? 0 : payload / kLineSize + (payload % kLineSize != 0 ? 1 : 0);
}
constexpr std::uint32_t lines_of(const RecordHeader& header) {
  return lines_for(header.length, inline_room(header.type));
}

} // namespace datum
