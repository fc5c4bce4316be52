// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/direct_request.h: a Write or Read of this side that is copied directly, in turns.
// Lives here: how many octets have been copied.
// Not here:   when it may begin, and what follows its end (link_sender.h); the copy
//             (direct_copy.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "transport/link/direct_copy.h"

namespace datum {

class DirectRequest {
 public:
  explicit DirectRequest(DirectCopy copy) : copy_(copy) {}

  // True from begin() until all octets have been copied, a turn has failed, or drop() was called.
  bool under_way() const { return request_ != nullptr; }
  const WorkRequest& request() const { return *request_; }
  std::uint64_t left() const { return request_ != nullptr ? request_->length - done_ : 0; }
  void begin(const WorkRequest& request);
  DtoStatus take_turn();
  void drop() { request_ = nullptr; }

 private:
  DirectCopy copy_;
  const WorkRequest* request_ = nullptr;
  std::uint64_t done_ = 0;
};

} // namespace datum
