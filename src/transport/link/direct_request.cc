// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hot path: no allocation, no logging.
#include "transport/link/direct_request.h"

#include <algorithm>

#include "base/assertion.h"
#include "base/no_canary.h"

namespace datum {

void DirectRequest::begin(const WorkRequest& request) {
  DATUM_ASSERT(request_ == nullptr);
  request_ = &request;
  done_ = 0;
}

DATUM_NO_CANARY DtoStatus DirectRequest::take_turn() {
  DATUM_ASSERT(request_ != nullptr);
  const WorkRequest& request = *request_;
  const Access right = request.opcode == Opcode::RdmaRead ? kRemoteRead : kRemoteWrite;
  const std::uint64_t size = std::min(request.length - done_, kDirectQuantum);
  RemoteTriplet remote = request.remote;
  if (done_ == 0) {
    // The first turn checks the whole range. If the end is out of bounds, nothing is written.
    remote.length = request.length;
  } else {
    remote.address += done_;
    remote.length = size;
  }
  const DtoStatus status = copy_.copy(remote, right, request.local, done_, size);
  done_ += size;
  if (status != DtoStatus::Success || done_ == request.length) request_ = nullptr;
  return status;
}

} // namespace datum
