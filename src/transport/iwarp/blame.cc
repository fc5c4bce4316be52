// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/blame.h"

namespace datum::iwarp {
namespace {

struct Named {
  RequestClass kind = RequestClass::Placed;
  std::uint32_t before = 0;
  bool atomic = false;
};

std::optional<Named> named_by(const Terminate& terminate, const UnfinishedRequests& unfinished,
                              const OutstandingReads& reads) {
  if (!terminate.has_header) return std::nullopt;
  const auto placed = [](std::optional<std::uint32_t> before) {
    return before ? std::optional(Named{RequestClass::Placed, *before}) : std::nullopt;
  };
  WireReader in(terminate.header);
  if (terminate.header_is_tagged()) {
    TaggedHeader echo;
    if (!decode(in, echo) || echo.control.opcode != Rdmap::Write) return std::nullopt;
    return placed(unfinished.find_write(echo.stag, echo.offset));
  }
  UntaggedHeader echo;
  if (!decode(in, echo)) return std::nullopt;
  if (echo.queue == kSendQueue) return placed(unfinished.find_send(echo.msn));
  if (echo.queue != kReadQueue) return std::nullopt;
  // Linux siw puts the size of a Read where the MSN belongs. So the Read is found by its sink.
  const bool by_sink = terminate.has_request && echo.control.opcode == Rdmap::ReadRequest;
  const std::optional<OutstandingReads::Place> read =
      by_sink ? reads.find_sink(terminate.request.sink_offset) : reads.find_msn(echo.msn);
  if (!read) return std::nullopt;
  return Named{RequestClass::Read, read->before, read->atomic};
}

DtoStatus status_of(const ErrorCode& error) {
  const bool protection = (error.layer == kLayerRdmap && error.type == kRemoteProtection) ||
                          (error.layer == kLayerDdp && error.type == kTaggedBuffer) ||
                          error == error::kCannotInvalidate;
  return protection ? DtoStatus::RemoteAccess : DtoStatus::RemoteResponder;
}

DtoStatus status_of(const ErrorCode& error, const Named& named) {
  if (error == error::kNoBuffer && named.kind == RequestClass::Placed)
    return DtoStatus::ReceiverNotReady;
  // For an Atomic this error means that its eight octets are not aligned (check 33).
  if (error == error::kStreamCatastrophic && named.atomic) return DtoStatus::RemoteAccess;
  return status_of(error);
}

} // namespace

// The request that the peer names completes with the reason (decision 415). All others are flushed.
std::optional<BlamedRequest> blamed_by(const Terminate& terminate,
                                       const UnfinishedRequests& unfinished,
                                       const OutstandingReads& reads) {
  if (const std::optional<Named> named = named_by(terminate, unfinished, reads))
    return BlamedRequest{named->kind, status_of(terminate.error, *named), named->before};
  // A Terminate without a header is taken to mean the oldest Read, if there is one: a peer that
  // cannot serve a Read need not echo it.
  const bool of_a_read =
      !terminate.has_header && terminate.error.layer != kLayerMpa && reads.of_consumer() != 0;
  if (!of_a_read) return std::nullopt;
  return BlamedRequest{RequestClass::Read, DtoStatus::RemoteResponder, 0};
}

} // namespace datum::iwarp
