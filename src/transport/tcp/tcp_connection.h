// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_connection.h: a TCP socket and the iWARP session on it.
// Lives here: when each part has its turn, the session's deadlines; the work of a connection after
//             release().
// Not here:   its parts: the socket (watched_socket.h), receiving (tcp_receiver.h), sending
//             (tcp_sender.h), the peer's window (window_watch.h), events for the owner and the
//             consumer (untold_events.h); the choice of the peer (tcp_channel, tcp_listener); the
//             protocol (transport/iwarp).
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <optional>

#include "base/scoped_flag.h"
#include "transport/host/fork_guard.h"
#include "transport/iwarp/session.h"
#include "transport/tcp/inet_socket.h"
#include "transport/tcp/tcp_context.h"
#include "transport/tcp/tcp_receiver.h"
#include "transport/tcp/tcp_sender.h"
#include "transport/tcp/untold_events.h"
#include "transport/tcp/watched_socket.h"
#include "transport/tcp/window_watch.h"

namespace datum {

using PendingHook = ListHook<PendingTag>;
using EndingHook = ListHook<EndingTag>;
using UntoldHook = ListHook<UntoldTag>;

class TcpConnection final : public PendingHook,
                            public EndingHook,
                            public UntoldHook,
                            private iwarp::SessionEvents,
                            private FdHandler,
                            private Timer {
 public:
  TcpConnection(TcpContext& context, GuardedFd socket, bool same_host);
  ~TcpConnection() override;
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  // Both begin to watch the socket: the first until TCP is connected, the second until a request
  // has come.
  Status expect_connection(TcpOwner& owner);
  Status expect_request(TcpOwner& owner);
  void set_owner(TcpOwner* owner) { untold_.set_owner(owner); }

  iwarp::Session& session() { return session_; }
  int socket() const { return socket_.get(); }
  bool is_within_host() const { return same_host_; }
  std::uint64_t serial() const { return serial_; } // a younger connection has a larger one
  // Initiator, after on_no_reply(). True: the network did not bring the request to the peer's TCP.
  bool request_was_lost() const;
  // Sets the largest FPDU, before startup frames are exchanged.
  void measure();
  // Call it after a call on the session that may have made work. progress() does that work.
  void touch() { context_.schedule(*this); }
  void receive_posted();
  // See Channel.
  bool waits_for_receive(bool oldest_is_message);
  // A request of `length` octets was started. It leaves at once, or in the next turn together with
  // later requests.
  void started(std::uint64_t length);
  // See Channel::catch_up().
  void catch_up();
  // Does the work of one turn. The connection may send `most` octets in it.
  void run(std::size_t most);
  // Reports the end or the request that was deferred. The connection may be released within this
  // call.
  void tell_late() { untold_.tell_late(); }
  bool has_untold_end() const { return untold_.has_end(); }
  // True: all sockets were read once more after the deferred event was found.
  bool may_be_told() const { return untold_.found_in() != context_.looks; }

  // The session must be closed, or never have begun. The connection sends its last message, and
  // then ends by itself.
  static void release(std::unique_ptr<TcpConnection> connection);
  bool is_over() const;
  // For a caller without a reactor: awaited() returns the events to poll() for, and look() handles
  // the events that poll() found.
  short awaited() const { return static_cast<short>(socket_.events()); }
  void look(short events, Instant now);
  // When to call look() even if poll() has found no event.
  Instant next_look() const { return armed_; }
  // Gives the connection up: sends what the socket takes at once, and leaves the rest to the
  // kernel.
  void leave();

 private:
  // Exists while the session is at work. The session may call the consumer during this time.
  struct AtWork {
    explicit AtWork(TcpConnection& connection)
        : inside(connection.inside_), any(connection.context_.at_work) {}
    const ScopedFlag inside, any;
  };

  void on_ready(std::uint32_t events) override;
  std::optional<bool> look_unasked() override;
  void on_expired(Instant now) override;
  // SessionEvents
  void on_request() override { untold_.on_request(); }
  bool on_no_reply(iwarp::NoReply why) override { return untold_.on_no_reply(why); }
  void on_reply() override;
  bool has_arrived(std::uint64_t octets) const override;
  bool all_has_arrived() const override;
  void on_end(ChannelEvents& events, CloseReason reason) override;

  void answer();
  std::size_t share() const;
  bool send_at_once();
  void transmit(bool with_ack, std::size_t most);
  void on_connected();
  void settle();
  void shut_down_if_wanted();
  void tell_owner();
  void defer();
  void begin_leaving();
  bool has_more_to_say() const;
  void tell_log();
  void look_at_window();
  void watch_needed_events();
  // Not in settle(), which has to stay short.
  [[gnu::noinline]] void watch_for(std::uint32_t events);
  void arm_at(Instant when);
  // True: the last message of this connection has to wait. Connections send their last messages in
  // the order in which they were released.
  bool waits_for_its_turn() const { return released_ && PendingHook::linked(); }

  TcpContext& context_;
  const std::uint64_t serial_;
  const bool same_host_;
  bool connecting_ = false;
  bool begun_ = false; // the session has begun
  bool receive_posted_ = false;
  bool released_ = false;
  bool told_log_ = false;
  bool inside_ = false; // an AtWork of this connection lives
  Instant armed_ = kNever;
  UntoldEvents untold_; // has an end or a request while `UntoldHook` is linked
  WatchedSocket socket_;
  iwarp::Session session_;
  WindowWatch window_;
  TcpReceiver receiver_;
  TcpSender sender_;
};

} // namespace datum
