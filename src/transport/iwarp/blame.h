// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/blame.h: which request of this side a Terminate of the peer names, and the status
// with which that request completes.
#pragma once

#include <optional>

#include "transport/iwarp/outstanding_reads.h"
#include "transport/iwarp/terminate.h"
#include "transport/iwarp/unfinished_requests.h"

namespace datum::iwarp {

struct BlamedRequest {
  RequestClass kind = RequestClass::Placed;
  DtoStatus status = DtoStatus::Success;
  std::uint32_t before = 0; // how many requests of the same class are before it
  bool operator==(const BlamedRequest&) const = default;
};

// nullopt: the Terminate names no request, so all requests are flushed.
std::optional<BlamedRequest> blamed_by(const Terminate& terminate,
                                       const UnfinishedRequests& unfinished,
                                       const OutstandingReads& reads);

} // namespace datum::iwarp
