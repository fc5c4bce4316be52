// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/untold_events.h: events that a connection has not yet reported to its owner or its
// consumer.
// Lives here: events that were found while a session was at work. They are reported when the
//             session has returned, or when all other sockets have been read.
// Not here:   the order of connections with such events (tcp_transport.cc); what follows from them
//             (tcp_listener, tcp_dial).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "transport/iwarp/session.h"

namespace datum {

// The owner of a connection. It may release the connection within each call except on_asked().
class TcpOwner {
 public:
  // Initiator: TCP is connected (0), or has failed (errno).
  virtual void on_tcp_connected(int) {}
  // Responder: a whole request has come. on_request() follows when earlier events of other
  // connections have been reported.
  virtual void on_asked() {}
  virtual void on_request() {}
  // Initiator: there will be no reply. The second argument is the error with which the socket
  // ended, or 0.
  virtual void on_no_reply(iwarp::NoReply, int) {}
  // Initiator: the reply has come. The session reports it to the consumer afterwards.
  virtual void on_reply() {}
  // The connection is over.
  virtual void on_over() {}

 protected:
  ~TcpOwner() = default;
};

class UntoldEvents {
 public:
  void set_owner(TcpOwner* owner) { owner_ = owner; }
  TcpOwner* owner() const { return owner_; }

  // --- called by the session ---------------------------------------------------------------------
  void on_request();
  // False: there is no owner to tell.
  bool on_no_reply(iwarp::NoReply why);
  void on_end(ChannelEvents& events, CloseReason reason) {
    end_of_ = &events;
    reason_ = reason;
  }

  // --- when the session has returned -------------------------------------------------------------
  bool has_request() const { return owner_ != nullptr && asked_; }
  void tell_request() {
    if (owner_ != nullptr && std::exchange(asked_, false)) owner_->on_request();
  }
  // `error`: the errno with which the socket ended, or 0.
  void tell_no_reply(int error);
  void tell_over() {
    if (owner_ != nullptr) owner_->on_over();
  }

  // --- when all sockets have been read -----------------------------------------------------------
  // The event has to wait until all sockets have been read. `look`: the number of the last such
  // reading so far (TcpContext::looks).
  void defer(std::uint64_t look) { found_in_ = look; }
  std::uint64_t found_in() const { return found_in_; }
  bool has_end() const { return end_of_ != nullptr; }
  // Reports the end, or the request if there is no end.
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
