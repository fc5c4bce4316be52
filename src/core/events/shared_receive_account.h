// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/shared_receive_account.h: how many Recvs of an SRQ are outstanding until their events
// are reaped.
// Not here:   the SRQ (core/endpoint/shared_receive_queue.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "base/assertion.h"

namespace datum {

// Counts Recvs that were posted and not yet reaped. Events in EVDs refer to it, so it may outlive
// its SRQ.
class SharedReceiveAccount {
 public:
  std::int32_t outstanding() const { return outstanding_; }
  void posted() { ++outstanding_; }
  // The completion of one of its Recvs was reaped, or lost with its EVD.
  void reaped() {
    returned();
    drop();
  }
  // One of its Recvs went back to the consumer without a completion.
  void returned() {
    DATUM_ASSERT(outstanding_ > 0);
    --outstanding_;
  }
  // An event refers to it from now on, until reaped().
  void keep() { ++events_; }
  // The SRQ is gone. The account lives on until its last event is reaped.
  void orphan() {
    DATUM_ASSERT(!orphaned_);
    orphaned_ = true;
    ++events_;
    drop();
  }

 private:
  void drop() {
    DATUM_ASSERT(events_ > 0);
    if (--events_ == 0 && orphaned_) delete this;
  }
  std::int32_t outstanding_ = 0;
  std::int32_t events_ = 0;
  bool orphaned_ = false;
};

} // namespace datum
