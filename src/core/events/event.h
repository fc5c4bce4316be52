// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/event.h: an event, which an EVD keeps until the consumer reaps it.
// Not here: DAT_EVENT, whose bytes each facade writes for its own version.
#pragma once

#include <cstdint>

#include "core/port/types.h"

namespace datum {

class SharedReceiveAccount;

enum class EventKind : std::uint8_t {
  Dto,
  Bind,
  ConnectionRequest,
  Established,
  PeerRejected,
  NonPeerRejected,
  AcceptCompletionError,
  Disconnected,
  Broken,
  TimedOut,
  Unreachable,
  // Events of endpoints of datagrams. `cookie` is the address handle, `value` the peer's number.
  DatagramsRequest, // as ConnectionRequest
  DatagramsResolved,
  DatagramsResolvedPassive,
  DatagramsRejected,
  DatagramsFailed,
  AsyncEvdOverflow,
  AsyncSrqLeft,   // an EP's connection ended; it takes nothing more from its SRQ
  AsyncWatermark, // an SRQ or EP watermark; told apart by object and reason
  Software,
};

// True: `data` and `size` are the private data of a peer's consumer.
constexpr bool has_private_data(EventKind kind) {
  switch (kind) {
  case EventKind::Established:
  case EventKind::PeerRejected:
  case EventKind::DatagramsResolved:
  case EventKind::DatagramsResolvedPassive:
  case EventKind::DatagramsRejected:
  case EventKind::DatagramsFailed: return true;
  default: return false;
  }
}

// Reasons of asynchronous events; the values of DAT's *_ASYNC reasons.
inline constexpr std::uint64_t kReasonEvdOverflow = 0;
inline constexpr std::uint64_t kReasonTransferToError = 0;
inline constexpr std::uint64_t kReasonSoftHighWatermark = 2;
inline constexpr std::uint64_t kReasonLowWatermark = 2;

struct Event {
  EventKind kind = EventKind::Software;
  DtoStatus status = DtoStatus::Success;
  // Dto: the completed operation (DAT 2.0 reports it). For a Recv: the peer's operation that
  // completed the Recv.
  Opcode opcode = Opcode::Send;
  bool receive = false; // Dto: a Recv completed
  // Connection events: private data size; Recv: MessageNote::value; ConnectionRequest: 1 on an RSP.
  std::uint32_t size = 0;
  Token object = nullptr;   // EP, RMR, SP or the object of an asynchronous event
  std::uint64_t cookie = 0; // DTO or RMR cookie; Software: the posted pointer
  std::uint64_t value = 0;  // transferred length; connection qualifier; reason
  union {
    const void* data = nullptr; // Established: private data; ConnectionRequest: the CR's token
    SharedReceiveAccount* srq;  // Recv from an SRQ: reaping the event frees the Recv's slot
  };
};

} // namespace datum
