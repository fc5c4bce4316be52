// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/untold_events.h: what a connection has to tell its owner and its consumer.
// Lives here: what was found while a session was at work, and is told when that has returned, or
//             after a look at all other sockets.
// Not here:   the order of connections that have something to tell (tcp_transport.cc); what follows
//             from it (tcp_listener, tcp_dial).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "transport/iwarp/session.h"

namespace datum {

// The holder of a connection. It may release it from within any of these.
class TcpOwner {
 public:
  // Initiator: TCP is connected (0), or why not (errno).
  virtual void on_tcp_connected(int) {}
  // Responder: a whole request has come; on_request() follows when others have been told. It is not
  // released from within this one.
  virtual void on_asked() {}
  virtual void on_request() {}
  // Initiator: there will be no reply; with what error the socket ended, if it did and had one.
  virtual void on_no_reply(iwarp::NoReply, int) {}
  // Initiator: there is one. The consumer is told afterwards, by the session.
  virtual void on_reply() {}
  // Nothing more comes of it.
  virtual void on_over() {}

 protected:
  ~TcpOwner() = default;
};

class UntoldEvents {
 public:
  void set_owner(TcpOwner* owner) { owner_ = owner; }
  TcpOwner* owner() const { return owner_; }

  // --- what the session finds --------------------------------------------------------------------
  void on_request();
  // False: there is none to tell.
  bool on_no_reply(iwarp::NoReply why);
  void on_end(ChannelEvents& events, CloseReason reason) {
    end_of_ = &events;
    reason_ = reason;
  }

  // --- when it has returned ----------------------------------------------------------------------
  bool has_request() const { return owner_ != nullptr && asked_; }
  void tell_request() {
    if (owner_ != nullptr && std::exchange(asked_, false)) owner_->on_request();
  }
  // With what error the socket ended.
  void tell_no_reply(int error);
  void tell_over() {
    if (owner_ != nullptr) owner_->on_over();
  }

  // --- after others ------------------------------------------------------------------------------
  // That was put off in such a look at all sockets, or before it.
  void defer(std::uint64_t look) { found_in_ = look; }
  std::uint64_t found_in() const { return found_in_; }
  bool has_end() const { return end_of_ != nullptr; }
  // The end or the request.
  void tell_late();

 private:
  TcpOwner* owner_ = nullptr;
  ChannelEvents* end_of_ = nullptr; // while the connection is among `TcpContext::untold`
  std::uint64_t found_in_ = 0;
  CloseReason reason_ = CloseReason::Broken;
  bool asked_ = false;
  std::optional<iwarp::NoReply> no_reply_;
};

} // namespace datum
