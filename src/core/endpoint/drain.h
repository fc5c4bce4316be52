// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/drain.h: a graceful disconnect (dat_ep_disconnect), which waits for the requests
// that were posted before it.
// Lives here: how long the disconnect waits while its requests make no progress.
// Not here:   the end itself (connection.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "core/endpoint/request_stream.h"
#include "core/object/adapter_context.h"
#include "core/port/channel.h"
#include "core/port/timer.h"

namespace datum {

// The object that waits for the drain.
class Drained {
 public:
  // All requests have ended, or the drain has given up on the rest.
  virtual void on_drained() = 0;

 protected:
  ~Drained() = default;
};

class Drain final : private Timer {
 public:
  Drain(AdapterContext& adapter, RequestStream& requests, Drained& whole)
      : adapter_(adapter), requests_(requests), whole_(whole) {}

  // `channel`: the channel of the requests.
  void begin(Channel& channel);
  // Called when requests may have been retired.
  void on_requests_retired();
  using Timer::cancel;

 private:
  void on_expired(Instant now) override;
  void go_on();
  bool waits_for_receive();
  Duration between_looks() const;

  AdapterContext& adapter_;
  RequestStream& requests_;
  Drained& whole_;
  Channel* channel_ = nullptr;
  Instant ends_ = 0;          // when the drain gives up, unless a request makes progress before
  std::uint64_t retired_ = 0; // requests retired when progress was last seen
};

} // namespace datum
