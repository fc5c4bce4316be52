// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_dial.h: the search for the listener of a qualifier on a host, until a peer
// replies.
// Lives here: when each candidate port is tried (docs/design/tcp.md); the second try with the older
//             revision of MPA; which failure is reported if no peer replies.
// Not here:   when the consumer gives up: the core drops the channel then.
// Threads:    the adapter's lock.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "base/shortage.h"
#include "transport/tcp/preferred_way.h"
#include "transport/tcp/qualifier.h"
#include "transport/tcp/tcp_connection.h"

namespace datum {

// The object that owns a TcpDial. It may destroy the TcpDial within either call.
class TcpDialer {
 public:
  // A peer has replied over `connection`. The session of `connection` has the reply and goes on by
  // itself. The attempts at other ports end when the TcpDial is destroyed.
  virtual void on_reply(std::unique_ptr<TcpConnection> connection) = 0;
  virtual void on_dial_failed(ConnectFailure failure) = 0;

 protected:
  ~TcpDialer() = default;
};

class TcpDial final : private Timer {
 public:
  struct DialTarget {
    HostAddress host;
    ConnQual qualifier = 0;
    PrivateData data; // copied
    iwarp::Wishes wishes;
    Instant deadline = kNever; // the consumer's
    PreferredWay* preferred = nullptr;
  };
  // All sessions of this dial get `events`. Only the session of the peer that replies reports to
  // it, or a session that lacks memory.
  TcpDial(TcpContext& context, const DialTarget& target, ChannelEvents& events, TcpDialer& dialer);

  // Fails only for lack of resources. Other failures go to on_dial_failed() later.
  Status begin();
  std::uint16_t local_port() const { return local_port_; } // of the last attempt

 private:
  // The attempt at one port. It may make several connections, one after the other.
  class Attempt final : public TcpOwner {
   public:
    Attempt(TcpDial& dial, std::uint16_t port) : dial_(dial), port_(port) {}
    ~Attempt() { hang_up(); }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    std::uint16_t port() const { return port_; }
    bool is_under_way() const { return connection_ != nullptr; }
    Shortage begin(); // error 0: it has begun; otherwise why it has not
    std::unique_ptr<TcpConnection> take() { return std::move(connection_); }

   private:
    void on_tcp_connected(int error) override;
    void on_no_reply(iwarp::NoReply why, int error) override;
    void on_reply() override { dial_.end_with(*this); } // destroys this
    Shortage start(GuardedFd& socket);
    Shortage begin_now();
    void begin_again();
    void hang_up();

    TcpDial& dial_;
    const std::uint16_t port_;
    std::uint8_t revision_ = kRevision;
    std::unique_ptr<TcpConnection> connection_;
  };
  static constexpr std::uint8_t kRevision = 2;
  static constexpr std::uint8_t kOldRevision = 1;

  void on_expired(Instant now) override;
  Status go_on(Instant now);
  Status try_next();
  Status retry();
  void give_up(const Attempt& attempt, int error);
  void end_with(Attempt& attempt);
  void note(std::uint16_t port, int error);
  void arm();
  void tell(Shortage shortage);
  void tell_unreachable();
  void tell_foreign(std::uint16_t port);
  bool has_one_port() const { return is_port(qualifier_); }
  bool should_ask_again() const;

  TcpContext& context_;
  ChannelEvents& events_;
  TcpDialer& dialer_;
  const HostAddress host_;
  const bool same_host_;
  const ConnQual qualifier_;
  const iwarp::Wishes wishes_;
  PreferredWay* const preferred_;
  std::vector<std::byte> data_;
  std::vector<std::uint16_t> ports_; // not tried yet, in reverse order
  std::list<Attempt> attempts_;
  const Duration patience_;   // how long a port may be silent before the next one is tried
  Instant next_try_ = kNever; // when the next port is tried
  std::uint16_t local_port_ = 0;
  std::optional<ConnectFailure> failure_; // what to report if no peer replies
  std::uint16_t unreachable_ = 0;         // the last port that was unreachable
  int why_unreachable_ = 0;               // the errno at that port
  bool has_spoken_ = false;               // at some port a request was sent
};

} // namespace datum
