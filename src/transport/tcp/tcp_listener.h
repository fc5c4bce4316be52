// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_listener.h: a connection qualifier that is listened on.
// Lives here: taking a port, requests that are not complete yet, which of them give way to others,
//             and the check that a request is for this qualifier.
// Not here:   when connections are accepted (host/listening_socket).
// Threads:    the adapter's lock.
#pragma once

#include <list>
#include <memory>

#include "transport/host/listening_socket.h"
#include "transport/host/qualifier_claim.h"
#include "transport/tcp/qualifier.h"
#include "transport/tcp/tcp_connection.h"

namespace datum {

// The names that a mapped qualifier takes.
struct TcpNames {
  QualifierClaim claim;
  GuardedFd rendezvous; // taken if TCP is the only transport, to keep other processes from it
};

using ListenerHook = ListHook<ListenerTag>;

class TcpListener final : public Listener, public ListenerHook, private ListeningOwner {
 public:
  static Result<std::unique_ptr<Listener>> open(TcpContext& context, ConnQual qualifier,
                                                ListenerEvents& events);
  // Listens at a port of Datum's choice, which is the qualifier.
  static Result<std::unique_ptr<Listener>> open_any(TcpContext& context, ListenerEvents& events);
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  ConnQual qualifier() const override { return qualifier_; }

 private:
  // An accepted connection whose request is not whole.
  class HalfOpenConnection final : public TcpOwner {
   public:
    HalfOpenConnection(TcpListener& listener, const SocketName& peer,
                       std::unique_ptr<TcpConnection> connection)
        : listener_(listener), peer_(peer), connection_(std::move(connection)),
          since_(listener.context_.now()) {}
    ~HalfOpenConnection();
    Status begin() { return connection_->expect_request(*this); }
    void on_asked() override { on(HalfOpenEvent::Spoke); }
    void on_request() override;
    void on_over() override { listener_.drop(*this); }
    Instant since() const { return since_; }
    bool is_stranger() const { return state_ == HalfOpenState::Stranger; }

   private:
    void on(HalfOpenEvent event);
    void refuse(iwarp::Refusal why);
    TcpListener& listener_;
    const SocketName peer_;
    std::unique_ptr<TcpConnection> connection_; // until it is over
    const Instant since_;
    HalfOpenState state_ = HalfOpenState::Stranger;
  };

  TcpListener(TcpContext& context, ConnQual qualifier, TcpNames names, GuardedFd socket,
              ListenerEvents& events);
  static Result<std::unique_ptr<Listener>> finish(TcpContext& context, ConnQual qualifier,
                                                  TcpNames names, GuardedFd socket,
                                                  ListenerEvents& events);
  static Result<std::unique_ptr<Listener>> open_mapped(TcpContext& context, ConnQual qualifier,
                                                       ListenerEvents& events);

  // ListeningOwner
  void begin_turn() override { time_.reset(); }
  std::optional<Instant> full() override;
  void welcome(GuardedFd accepted, const sockaddr_storage& peer) override;
  bool on_lack(int error) override;
  void on_closed(int error) override;

  void drop(const HalfOpenConnection& one);
  void warn_not_accepted(int error); // once
  Duration time_to_speak() const;
  // nullptr: there is no half-open connection, or each has sent its request.
  const HalfOpenConnection* oldest_stranger() const;
  bool give_up_stranger();

  TcpContext& context_;
  const ConnQual qualifier_;
  ListenerEvents& events_;
  const TcpNames names_;
  ListeningSocket socket_;
  bool warned_ = false;
  std::optional<Duration> time_;                 // time_to_speak() of this turn
  const HalfOpenConnection* outdated_ = nullptr; // makes room for the next connection
  std::list<HalfOpenConnection> half_open_;      // oldest first
};

} // namespace datum
