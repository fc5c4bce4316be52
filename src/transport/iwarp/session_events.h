// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/session_events.h: what a session tells its owner, and what it asks the owner
// about TCP. What it tells the consumer is in ChannelEvents (core/port/transport.h).
#pragma once

#include <cstdint>

#include "core/port/transport.h"

namespace datum::iwarp {

enum class NoReply : std::uint8_t {
  Nothing, // the peer closed, or was lost, without an answer: it may not know revision 2
           // (decision 403)
  Foreign, // the octets that came are no reply to this request
  NotHere, // an own peer: the port is not for that qualifier
};

class SessionEvents {
 public:
  // Responder: a whole request has come. accept() or reject() answers it, now or later.
  virtual void on_request() = 0;
  // Initiator: there will be no reply. True: another session will send the request, again or to
  // another port, so this session reports nothing.
  virtual bool on_no_reply(NoReply) { return false; }
  // Initiator: a usable reply has come, perhaps a reject. The session reports its result next.
  virtual void on_reply() {}
  // True: the peer's TCP has acknowledged this many octets of this session.
  virtual bool has_arrived(std::uint64_t /*octets*/) const { return true; }
  // True: the peer's TCP has acknowledged all octets that TCP was given, and our end of the stream.
  virtual bool all_has_arrived() const { return true; }
  // The connection has ended by itself. The owner has to call `events.on_closed(reason)`, now or
  // later, unless the session is closed before.
  virtual void on_end(ChannelEvents& events, CloseReason reason) { events.on_closed(reason); }

 protected:
  ~SessionEvents() = default;
};

} // namespace datum::iwarp
