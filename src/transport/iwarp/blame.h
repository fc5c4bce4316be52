// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/blame.h: the request of ours that a Terminate of the peer's names, and the reason
// that its consumer is told.
#pragma once

#include <optional>

#include "transport/iwarp/outstanding_reads.h"
#include "transport/iwarp/terminate.h"
#include "transport/iwarp/unfinished_requests.h"

namespace datum::iwarp {

struct BlamedRequest {
  RequestClass kind = RequestClass::Placed;
  DtoStatus status = DtoStatus::Success;
  std::uint32_t before = 0; // of its class, that are before it
  bool operator==(const BlamedRequest&) const = default;
};

// nullopt: none, and all are flushed.
std::optional<BlamedRequest> blamed_by(const Terminate& terminate,
                                       const UnfinishedRequests& unfinished,
                                       const OutstandingReads& reads);

} // namespace datum::iwarp
