// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_sender.h: what leaves a session, by its socket.
// Lives here: what leaves with the call that posts it, what leaves in a turn, and how much; how
//             large the segments of TCP are; when a socket takes more.
// Not here:   whose turn it is, and which connections wait for another one (tcp_connection.h).
// Threads:    the adapter's lock.
#pragma once

#include <span>
#include <sys/types.h>
#include <utility>

#include "transport/iwarp/session.h"
#include "transport/tcp/posts_in_turn.h"
#include "transport/tcp/tcp_context.h"
#include "transport/tcp/watched_socket.h"
#include "transport/tcp/window_watch.h"

namespace datum {

class TcpSender {
 public:
  TcpSender(TcpContext& context, WatchedSocket& socket, iwarp::Session& session,
            WindowWatch& window)
      : context_(context), socket_(socket), session_(session), window_(window) {}

  // Largest FPDU, before startup frames are exchanged.
  void measure();

  // --- with the call that posts ------------------------------------------------------------------
  // A request was started. Of those who come back soon, requests wait that are not alone, between
  // two turns or on their way: they leave with one system call.
  bool may_wait();
  // How long it takes from the last of several posts until a thread looks.
  void watch_poster(std::uint64_t length);
  // Reports nothing: the poster is told by its own call. False: there is more to send, or
  // to find out why it cannot be sent, or something to tell.
  bool send_at_once(std::size_t most);
  // A foreign peer's requests end when TCP has them: before whatever is learned afterwards.
  void tell_sent() {
    if (std::exchange(sent_untold_, false)) session_.tell_sent(context_.now());
  }

  // --- in a turn ---------------------------------------------------------------------------------
  struct Outcome {
    bool turn_is_over = false; // and there is more to send
    int error = 0;             // nothing can be sent any more
  };
  Outcome transmit(bool with_ack, std::size_t most);

  // The socket takes no more now.
  bool full() const { return full_; }
  // It does again. True: it had not.
  bool on_writable() { return std::exchange(full_, false); }
  // The kernel had no memory: when to try again, or kNever.
  Instant next_try() const { return next_try_; }
  void try_again() { next_try_ = kNever; }

 private:
  static std::span<const iwarp::Octets> beginning(std::span<const iwarp::Octets> octets,
                                                  std::size_t least);
  ssize_t send(std::span<const iwarp::Octets> octets, std::size_t most);
  ssize_t send_all(std::span<const iwarp::Octets> octets);
  Outcome not_sent(int error);
  void measure_again();
  void watch_window() {
    if (!window_.under_way()) [[unlikely]]
      window_.begin(context_.now());
  }

  TcpContext& context_;
  WatchedSocket& socket_;
  iwarp::Session& session_;
  WindowWatch& window_;
  bool full_ = false;
  bool sent_untold_ = false; // the session has been told of nothing that follows from what left
  PostsInTurn posts_;
  Instant measured_ = 0; // the segments of TCP
  Instant next_try_ = kNever;
};

} // namespace datum
