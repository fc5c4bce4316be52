// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/preferred_way.h: what a dial over TCP asks the transport beside it.
// Threads:    the adapter's lock.
#pragma once

#include "core/port/types.h"
#include "transport/host/host_address.h"

namespace datum {

// A way to the listener that is preferred to TCP, and was not there when the dial began. TCP may
// connect much later than that: on a busy machine even a SYN within the host waits for its turn.
class PreferredWay {
 public:
  // Called when TCP has connected, before a request is sent. True: the way is there now, so the
  // dial fails with NobodyListens, and the core asks again. Throws nothing.
  virtual bool is_there(const HostAddress& host, ConnQual qualifier) = 0;

 protected:
  ~PreferredWay() = default;
};

} // namespace datum
