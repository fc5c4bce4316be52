// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/events/shared_receive_account.h: how many Recvs of an SRQ are outstanding: posted, and their
// events not reaped yet.
// Not here:   the SRQ (core/endpoint/shared_receive_queue.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "base/assertion.h"

namespace datum {

// The count of one SRQ. Events in EVDs refer to the account, so it may outlive its SRQ.
class SharedReceiveAccount {
 public:
  std::int32_t outstanding() const { return outstanding_; }
  void posted() { ++outstanding_; }
  // The completion of a Recv of the SRQ was reaped, or lost with its EVD.
  void reaped() {
    returned();
    drop();
  }
  // A Recv of the SRQ went back to the consumer without a completion.
  void returned() {
    DATUM_ASSERT(outstanding_ > 0);
    --outstanding_;
  }
  // An event refers to the account from now on, until reaped().
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
