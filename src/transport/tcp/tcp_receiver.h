// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_receiver.h: brings octets from a socket to its session.
// Lives here: how much is read, and where to; octets that the session does not take yet; the peer's
//             end.
// Not here:   sending (tcp_sender.h); when the socket is read (tcp_connection.h).
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

  // True: the session takes octets, and the peer may send more.
  bool reading() const { return held_.empty() && !at_end_; }
  // The events to watch for: octets, or the peer's end behind octets that are not read.
  std::uint32_t awaited() const {
    if (reading()) return EPOLLIN;
    return at_end_ || end_is_behind_ ? 0U : EPOLLRDHUP;
  }
  // Reads until it has `most` octets or the socket has no more; the last system call may exceed
  // `most`. False: neither an octet nor the end of the stream has come.
  bool receive(std::size_t most);

  // True: there are octets that the session has not taken.
  bool holds() const { return !held_.empty(); }
  // Gives these octets to the session, which may take them now.
  void feed_held();
  // Drops these octets, which the session will not take any more.
  void drop_held() { held_ = {}; }
  void on_end_behind();

  // Stops watching the socket, and tells the session that the connection is lost.
  void lose();
  // `calls`: those that have failed with this error, for the log if a sandbox refuses them.
  void lose(int error, const char* calls = "");
  // Reads and drops what has come: octets that are not read would turn an orderly end into a reset.
  void throw_away();

 private:
  // All: the socket had no more octets. More: it may have more.
  enum class Found : std::uint8_t { Nothing, All, More };

  Found receive_once(std::size_t& left);
  ssize_t receive_into(std::span<const iovec> pieces);
  [[gnu::noinline]] ssize_t receive_by_other_call(std::span<const iovec> pieces);
  bool take(iwarp::Octets octets);
  void tell_refused(int error, const char* calls) const;

  TcpContext& context_;
  WatchedSocket& socket_;
  iwarp::Session& session_;
  bool at_end_ = false;         // the peer sends no more
  bool end_is_behind_ = false;  // the peer's end is behind octets that are not read
  std::vector<std::byte> held_; // octets that the session has not taken yet
};

} // namespace datum
