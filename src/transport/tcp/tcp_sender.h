// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_sender.h: sends the octets of a session through its socket.
// Lives here: what leaves within the call that posts it, and what leaves in a turn; the segment
//             size of TCP; when the socket takes more.
// Not here:   the turns of connections (tcp_connection.h).
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

  // Sets the largest FPDU, before startup frames are exchanged.
  void measure();

  // --- within the call that posts ----------------------------------------------------------------
  // True: the request that was just started may wait for the next turn, to leave with others in one
  // system call. That is so if the poster will poll soon. A request that is posted alone does not
  // wait while few others are outstanding: the consumer may be waiting for it.
  bool may_wait();
  // Begins to measure how soon a thread polls after this post. Of several posts the last one
  // counts.
  void watch_poster(std::uint64_t length);
  // Runs within the call that posts, so it completes no request. False: a turn has to follow. It
  // sends the rest, finds out why nothing was sent, or completes requests.
  bool send_at_once(std::size_t most);
  // Requests to a foreign peer complete when TCP has taken them. Completes such requests before
  // later events are reported.
  void tell_sent() {
    if (std::exchange(sent_untold_, false)) session_.tell_sent(context_.now());
  }

  // --- in a turn ---------------------------------------------------------------------------------
  struct Outcome {
    bool turn_is_over = false; // `most` octets were sent, and there is more to send
    int error = 0;             // an errno: nothing can be sent any more
  };
  Outcome transmit(bool with_ack, std::size_t most);

  // True: the socket takes no more now.
  bool full() const { return full_; }
  // The socket takes octets again. True: it was full.
  bool on_writable() { return std::exchange(full_, false); }
  // When to try again after the kernel had no memory. kNever: the kernel had memory.
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
  bool sent_untold_ = false; // tell_sent() has to complete requests
  PostsInTurn posts_;
  Instant measured_ = 0; // when the segment size was last read
  Instant next_try_ = kNever;
};

} // namespace datum
