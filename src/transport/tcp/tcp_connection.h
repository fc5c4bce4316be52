// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_connection.h: a TCP socket and the iWARP session on it.
// Lives here: when each part has its turn, the session's deadlines; what is left to do when nobody
//             holds the connection any more.
// Not here:   its parts: the socket (watched_socket.h), what comes (tcp_receiver.h), what leaves
//             (tcp_sender.h), the peer's window (window_watch.h), whom to tell what
//             (untold_events.h); which peer, and why (tcp_channel, tcp_listener); the protocol
//             (transport/iwarp).
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

  // Begins to watch the socket: until TCP is connected, or for a request.
  Status expect_connection(TcpOwner& owner);
  Status expect_request(TcpOwner& owner);
  void set_owner(TcpOwner* owner) { untold_.set_owner(owner); }

  iwarp::Session& session() { return session_; }
  int socket() const { return socket_.get(); }
  bool is_within_host() const { return same_host_; }
  std::uint64_t serial() const { return serial_; } // younger ones have larger ones
  // Initiator, when there will be no reply: the wire did not bring the request to the peer's TCP.
  bool request_was_lost() const;
  // Largest FPDU, before startup frames are exchanged.
  void measure();
  // Something was asked of the session: progress() looks after what follows from it.
  void touch() { context_.schedule(*this); }
  void receive_posted();
  // See Channel.
  bool waits_for_receive(bool oldest_is_message);
  // A request of so many octets: it leaves at once, or in the next turn with those that follow it.
  void started(std::uint64_t length);
  // See Channel::catch_up().
  void catch_up();
  // Its turn, in which it may send so much.
  void run(std::size_t most);
  // Its end or its request, which was put off; it may be released meanwhile.
  void tell_late() { untold_.tell_late(); }
  bool has_untold_end() const { return untold_.has_end(); }
  // There was a look at all sockets after it was found.
  bool may_be_told() const { return untold_.found_in() != context_.looks; }

  // Its session was closed, or was never begun; what it still has to say is said.
  static void release(std::unique_ptr<TcpConnection> connection);
  bool is_over() const;
  // For whoever has no reactor: events of poll(), and what poll() found.
  short awaited() const { return static_cast<short>(socket_.events()); }
  void look(short events, Instant now);
  // And when to look without any.
  Instant next_look() const { return armed_; }
  // It is given up: what can leave without waiting leaves, the rest is left to the kernel.
  void leave();

 private:
  // While the session is at work, and may be telling of it.
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
  void say_the_end();
  void tell_owner();
  void defer();
  void begin_leaving();
  bool has_more_to_say() const;
  void tell_log();
  void look_at_window();
  void watch_for_what_matters();
  void arm_at(Instant when);
  // What it says last is said in the order in which connections were released.
  bool waits_for_its_turn() const { return released_ && PendingHook::linked(); }

  TcpContext& context_;
  const std::uint64_t serial_;
  const bool same_host_;
  bool connecting_ = false;
  bool begun_ = false; // the session
  bool receive_posted_ = false;
  bool released_ = false;
  bool told_log_ = false;
  bool inside_ = false; // AtWork
  Instant armed_ = kNever;
  UntoldEvents untold_; // an end or a request of them, while `UntoldHook` is linked
  WatchedSocket socket_;
  iwarp::Session session_;
  WindowWatch window_;
  TcpReceiver receiver_;
  TcpSender sender_;
};

} // namespace datum
