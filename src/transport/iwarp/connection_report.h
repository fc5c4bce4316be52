// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/connection_report.h: what the consumer is told of the connection as a whole.
// Lives here: that it is established, or has failed, and that it has ended: one result, one end and
//             nothing after that; a failure within a call of the consumer, which is told later.
// Not here:   requests and messages (outbound.h, inbound.h); what else happens at the end
//             (session.h).
// Threads:    the adapter's lock.
#pragma once

#include "transport/iwarp/session_events.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

class ConnectionReport {
 public:
  ConnectionReport(Stream& stream, SessionEvents& owner) : stream_(stream), owner_(owner) {}
  ConnectionReport(const ConnectionReport&) = delete;
  ConnectionReport& operator=(const ConnectionReport&) = delete;

  // The consumer connects or accepts. From here on it is told.
  void begin(ChannelEvents& events) { stream_.events = &events; }
  // `private_data`: of the reply.
  void establish(Octets private_data);
  bool is_established() const { return established_; }
  // The connection cannot be established, which is not reported before the consumer's call has
  // returned. The caller calls fail() soon.
  void fail_later() { fails_later_ = true; }
  bool has_to_fail() const { return fails_later_; }
  // It is not established, and will not be.
  void fail(ConnectFailure failure, PrivateData data);
  // It has ended by itself. A connection that is not established has failed.
  void end(CloseReason reason);
  // The consumer is told nothing more.
  void stop();

 private:
  ChannelEvents* take_events();

  Stream& stream_;
  SessionEvents& owner_;
  bool established_ = false;
  bool fails_later_ = false;
};

} // namespace datum::iwarp
