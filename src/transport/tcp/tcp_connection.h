// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_connection.h: a TCP socket and the iWARP session on it.
// Lives here: reading, placing, sending, the session's deadlines; what is left to do when nobody
//             holds the connection any more.
// Not here:   which peer, and why (tcp_channel, tcp_listener); the protocol (transport/iwarp).
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <optional>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <vector>

#include "base/scoped_flag.h"
#include "transport/host/fork_guard.h"
#include "transport/iwarp/session.h"
#include "transport/tcp/closed_window.h"
#include "transport/tcp/inet_socket.h"
#include "transport/tcp/tcp_context.h"

namespace datum {

using PendingHook = ListHook<PendingTag>;
using EndingHook = ListHook<EndingTag>;
using UntoldHook = ListHook<UntoldTag>;

// Whoever holds a connection. It may release it from within any of these.
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
  void set_owner(TcpOwner* owner) { owner_ = owner; }

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
  void tell_late();
  bool has_untold_end() const { return untold_ != nullptr; }
  // There was a look at all sockets after it was found.
  bool may_be_told() const { return found_in_ != context_.looks; }

  // Its session was closed, or was never begun; what it still has to say is said.
  static void release(std::unique_ptr<TcpConnection> connection);
  bool is_over() const;
  // For whoever has no reactor: events of poll(), and what poll() found.
  short awaited() const { return static_cast<short>(watching_ ? watched_ : 0U); }
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
  void on_request() override;
  bool on_no_reply(iwarp::NoReply why) override;
  void on_reply() override;
  bool has_arrived(std::uint64_t octets) const override;
  bool all_has_arrived() const override;
  void on_end(ChannelEvents& events, CloseReason reason) override;

  bool receive(std::size_t most);
  bool receive_once(std::size_t& left);
  ssize_t receive_into(std::span<const iovec> pieces);
  bool take(iwarp::Octets octets);
  void answer();
  void tell_sent();
  std::size_t share() const;
  bool may_wait();
  void watch_poster(std::uint64_t length);
  bool send_at_once();
  static std::span<const iwarp::Octets> beginning(std::span<const iwarp::Octets> octets,
                                                  std::size_t least);
  ssize_t send(std::span<const iwarp::Octets> octets);
  void learn_of(int error);
  void transmit(bool with_ack, std::size_t most);
  void measure_again();
  void settle();
  void say_the_end();
  void throw_away_what_came();
  void tell_owner();
  void put_off();
  void begin_leaving();
  bool has_more_to_say() const;
  void tell_log();
  void watch_window();
  void look_at_window();
  void watch_for_what_matters();
  void unwatch();
  void fail_with(int error);
  bool reading() const { return held_.empty() && !at_end_; }
  // Of the peer, behind what is not read.
  std::uint32_t end_to_look_for() const { return at_end_ || end_is_behind_ ? 0U : EPOLLRDHUP; }
  // What it says last is said in the order in which connections were released.
  bool waits_for_its_turn() const { return released_ && PendingHook::linked(); }

  TcpContext& context_;
  const std::uint64_t serial_;
  const bool same_host_;
  TcpOwner* owner_ = nullptr;
  ChannelEvents* untold_ = nullptr; // of an end, while `UntoldHook` is linked
  std::uint64_t found_in_ = 0;      // the look, or the one before it
  CloseReason reason_ = CloseReason::Broken;
  GuardedFd socket_;
  iwarp::Session session_;
  std::uint32_t watched_ = 0; // events; 0 with `watching_`: errors only
  bool watching_ = false;
  bool connecting_ = false;
  bool begun_ = false; // the session
  bool asked_ = false;
  std::optional<iwarp::NoReply> no_reply_; // the owner has not been told yet
  int error_ = 0;                          // with which the socket has ended
  bool receive_posted_ = false;
  bool full_ = false;          // the socket takes no more now
  bool at_end_ = false;        // the peer sends no more
  bool end_is_behind_ = false; // nor behind what is not read
  bool reset_ = false;         // and did not end in order
  bool released_ = false;
  bool told_log_ = false;
  bool inside_ = false;       // AtWork
  bool several_ = false;      // requests were started between two turns, when some were last
  bool sent_untold_ = false;  // the session has been told of nothing that follows from what left
  std::uint32_t started_ = 0; // requests in the turn
  std::uint64_t turn_ = 0;
  Instant measured_ = 0; // the segments of TCP
  Instant armed_ = kNever;
  Instant send_again_ = kNever;     // the kernel had no memory
  Instant look_at_window_ = kNever; // while TCP may have something that the peer has not
  ClosedWindow window_;
  bool excused_ = false;           // it was closed
  std::uint64_t arrived_then_ = 0; // octets, when waits_for_receive() was asked last
  std::vector<std::byte> held_;    // read, and not taken by the session yet
};

} // namespace datum
