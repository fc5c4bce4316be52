// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/shared_receive_queue.h: an SRQ: a queue of Recvs, from which several EPs take.
// Lives here: counts (available, outstanding until reaped), low watermark, resize.
#pragma once

#include <cstdint>
#include <span>

#include "base/assertion.h"
#include "base/status.h"
#include "core/endpoint/receive_queue.h"
#include "core/events/shared_receive_account.h"
#include "core/memory/protection_zone.h"
#include "core/object/object.h"
#include "core/object/ref.h"

namespace datum {

class AsyncEvents;

struct SharedReceiveAttributes {
  std::int32_t max_recv_dtos = 0;
  std::int32_t max_recv_iov = 0;
};

struct ReceiveWaiterTag;

// An EP with a message that waits because the SRQ is empty.
class ReceiveWaiter : public ListHook<ReceiveWaiterTag> {
 public:
  // A Recv has been posted.
  virtual void feed() = 0;

 protected:
  ~ReceiveWaiter() = default;
};

class SharedReceiveQueue final : public Object {
 public:
  SharedReceiveQueue(AsyncEvents& events, ProtectionZone& zone,
                     const SharedReceiveAttributes& attributes);
  ~SharedReceiveQueue() override;

  ProtectionZone& zone() const { return *zone_; }
  std::int32_t max_recv_dtos() const { return max_recv_dtos_; }
  std::int32_t max_recv_iov() const { return queue_.iov(); }
  std::int32_t low_watermark() const { return low_watermark_; }
  std::int32_t available() const { return queue_.count(); }
  std::int32_t outstanding() const { return account_->outstanding(); }

  Status post(std::span<const LocalTriplet> local, std::uint64_t cookie);
  Status set_low_watermark(std::int32_t value);
  Status resize(std::int32_t max_recv_dtos);

  // Target side: an EP takes the oldest Recv.
  ReceiveQueue& queue() { return queue_; }
  SharedReceiveAccount& account() { return *account_; }
  void taken() { check_low_watermark(); }
  void wait_for_receive(ReceiveWaiter& endpoint) {
    if (!endpoint.linked()) receive_waiters_.push_back(endpoint);
  }

  // Associated EPs hold the SRQ (dat_srq_free).
  void hold() { ++endpoints_; }
  void release() {
    DATUM_ASSERT(endpoints_ > 0);
    --endpoints_;
  }
  bool in_use() const { return endpoints_ != 0; }
  std::int32_t endpoints() const { return endpoints_; }

 private:
  void check_low_watermark();

  AsyncEvents& events_;
  IntrusiveList<ReceiveWaiter, ReceiveWaiterTag> receive_waiters_;
  Ref<ProtectionZone> zone_;
  ReceiveQueue queue_;
  SharedReceiveAccount* account_; // owns itself; see SharedReceiveAccount::orphan()
  std::int32_t max_recv_dtos_;
  std::int32_t low_watermark_ = 0;
  bool low_watermark_armed_ = false;
  std::int32_t endpoints_ = 0;
};

} // namespace datum
