// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_receiver.h: what comes by a socket, to its session.
// Lives here: how much is read, and where to; what the session does not take yet; the peer's end.
// Not here:   what leaves (tcp_sender.h); when a thread looks (tcp_connection.h).
// Threads:    the adapter's lock.
#pragma once

#include <span>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <utility>
#include <vector>

#include "transport/iwarp/session.h"
#include "transport/tcp/tcp_context.h"
#include "transport/tcp/watched_socket.h"

namespace datum {

class TcpReceiver {
 public:
  TcpReceiver(TcpContext& context, WatchedSocket& socket, iwarp::Session& session)
      : context_(context), socket_(socket), session_(session) {}

  // The session takes what comes, and there may be more.
  bool reading() const { return held_.empty() && !at_end_; }
  // Events to look for: octets, or the peer's end behind what is not read.
  std::uint32_t awaited() const {
    if (reading()) return EPOLLIN;
    return at_end_ || end_is_behind_ ? 0U : EPOLLRDHUP;
  }
  // At most so much, and what the last call takes beyond it. False: there was nothing, and nothing
  // happened.
  bool receive(std::size_t most);

  // There are octets that the session has not taken.
  bool holds() const { return !held_.empty(); }
  // It may take them now.
  void feed_held();
  // The session takes them no more, and behind them is the peer's end.
  void drop_held() { held_ = {}; }
  void on_end_behind();

  // Nothing more can come; the session has lost its connection.
  void lose();
  void lose(int error) {
    socket_.set_error(error);
    lose();
  }
  // Octets that are not read would turn an orderly end into a reset.
  void throw_away();

 private:
  enum class Found : std::uint8_t { Nothing, All, More }; // all that there was; there may be more

  Found receive_once(std::size_t& left);
  ssize_t receive_into(std::span<const iovec> pieces);
  bool take(iwarp::Octets octets);

  TcpContext& context_;
  WatchedSocket& socket_;
  iwarp::Session& session_;
  bool at_end_ = false;         // the peer sends no more
  bool end_is_behind_ = false;  // nor behind what is not read
  std::vector<std::byte> held_; // read, and not taken by the session yet
};

} // namespace datum
