// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/request.h: a request in terms of iWARP, made from a WorkRequest of the core.
// Not here: how a request is cut into FPDUs (requester.h).
#pragma once

#include "core/port/transport.h"
#include "transport/iwarp/own_peer.h"
#include "transport/iwarp/rdmap.h"

namespace datum::iwarp {

// The contents of a WorkRequest. Its AtomicRequest also has masks, which a WorkRequest lacks.
struct OutboundRequest {
  Rdmap opcode = Rdmap::Send;
  const WorkRequest* work = nullptr; // may be nullptr for Immediate Data
  Stag invalidate = 0;
  std::uint64_t immediate = 0;
  AtomicRequest atomic; // its answer goes to the eight octets of work->local
};

inline Rdmap to_rdmap(const WorkRequest& work) {
  switch (work.opcode) {
  case Opcode::RdmaWrite: return Rdmap::Write;
  case Opcode::RdmaRead: return Rdmap::ReadRequest;
  case Opcode::SendInvalidate:
    return work.solicited ? Rdmap::SendSolicitedInvalidate : Rdmap::SendInvalidate;
  case Opcode::WriteImmediate: return work.solicited ? Rdmap::ImmediateSolicited : Rdmap::Immediate;
  case Opcode::FetchAdd:
  case Opcode::CompareSwap: return Rdmap::AtomicRequest;
  default: return work.solicited ? Rdmap::SendSolicited : Rdmap::Send;
  }
}

inline AtomicRequest to_atomic(const WorkRequest& work) {
  AtomicRequest request{
      .stag = work.remote.stag, .offset = work.remote.address, .data = work.extra.atomic.operand};
  if (work.opcode == Opcode::FetchAdd) return request;
  request.operation = AtomicOperation::CompareSwap;
  request.mask = ~std::uint64_t{0};
  request.compare = work.extra.atomic.compare;
  return request;
}

inline OutboundRequest to_request(const WorkRequest& work) {
  OutboundRequest request;
  request.opcode = to_rdmap(work);
  request.work = &work;
  if (!is_extended(work.opcode)) return request;
  if (is_atomic(work.opcode)) {
    request.atomic = to_atomic(work);
  } else if (is_immediate(request.opcode)) {
    request.immediate = encode_immediate(work.extra.note);
  } else {
    request.invalidate = work.extra.note.value;
  }
  return request;
}

} // namespace datum::iwarp
