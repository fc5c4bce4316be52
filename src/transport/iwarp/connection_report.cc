// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/connection_report.h"

#include <cassert>
#include <utility>

namespace datum::iwarp {

void ConnectionReport::establish(Octets private_data) {
  assert(!established_);
  established_ = true;
  stream_.events->on_established(private_data, stream_.terms.reads_out);
}

void ConnectionReport::fail(ConnectFailure failure, PrivateData data) {
  assert(!established_);
  if (ChannelEvents* events = take_events()) events->on_connect_failed(failure, data);
}

void ConnectionReport::end(CloseReason reason) {
  if (!established_) {
    fail(ConnectFailure::NonPeerRejected, {});
    return;
  }
  if (ChannelEvents* events = take_events()) owner_.on_end(*events, reason);
}

void ConnectionReport::stop() {
  take_events();
}

// What it is told next is the last.
ChannelEvents* ConnectionReport::take_events() {
  fails_later_ = false;
  return std::exchange(stream_.events, nullptr);
}

} // namespace datum::iwarp
