// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_listener.h: a connection qualifier that is listened on.
// Lives here: taking a port, accepting, requests that are not complete yet, and which of them are
//             for this qualifier.
// Threads:    the adapter's lock.
#pragma once

#include <list>
#include <memory>

#include "transport/host/qualifier_claim.h"
#include "transport/tcp/qualifier.h"
#include "transport/tcp/tcp_connection.h"

namespace datum {

// Of a mapped qualifier.
struct TcpNames {
  QualifierClaim claim;
  GuardedFd rendezvous; // where no shared memory is beside TCP: nobody else may be found there
};

using ListenerHook = ListHook<ListenerTag>;

class TcpListener final : public Listener, public ListenerHook, private FdHandler, private Timer {
 public:
  static Result<std::unique_ptr<Listener>> open(TcpContext& context, ConnQual qualifier,
                                                ListenerEvents& events);
  // A port that fits in 16 bits.
  static Result<std::unique_ptr<Listener>> open_any(TcpContext& context, ListenerEvents& events);
  ~TcpListener() override;
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  ConnQual qualifier() const override { return qualifier_; }

 private:
  // Accepted; its request is not whole.
  class HalfOpen final : public TcpOwner {
   public:
    HalfOpen(TcpListener& listener, std::unique_ptr<TcpConnection> connection)
        : listener_(listener), connection_(std::move(connection)), since_(listener.context_.now()) {
    }
    ~HalfOpen();
    Status begin() { return connection_->expect_request(*this); }
    void on_request() override;
    void on_over() override { listener_.drop(*this); }
    Instant since() const { return since_; }
    bool is_stranger() const { return !connection_->has_asked(); }

   private:
    void refuse(iwarp::Refusal why);
    TcpListener& listener_;
    std::unique_ptr<TcpConnection> connection_;
    const Instant since_;
  };

  TcpListener(TcpContext& context, ConnQual qualifier, TcpNames names, GuardedFd socket,
              ListenerEvents& events)
      : context_(context), qualifier_(qualifier), events_(events), names_(std::move(names)),
        socket_(std::move(socket)) {
    context_.listeners.push_back(*this);
  }
  static Result<std::unique_ptr<Listener>> finish(TcpContext& context, ConnQual qualifier,
                                                  TcpNames names, GuardedFd socket,
                                                  ListenerEvents& events);
  static Result<std::unique_ptr<Listener>> open_mapped(TcpContext& context, ConnQual qualifier,
                                                       ListenerEvents& events);

  void on_ready(std::uint32_t events) override;
  void on_expired(Instant now) override;
  void welcome(GuardedFd socket);
  void drop(const HalfOpen& one);
  void rest(Instant until);
  void wait_for_room(Duration time_to_speak);
  void look_again();
  void warn_nobody_accepted(int error); // once
  Duration time_to_speak() const;
  bool is_full() const { return half_open_.size() >= context_.options.max_half_open; }
  // Has not said yet what it wants; nullptr: there is none.
  const HalfOpen* oldest_stranger() const;
  // Whom the next one may replace; nullptr: nobody.
  const HalfOpen* outdated(Duration time_to_speak) const;
  bool give_up_stranger();

  TcpContext& context_;
  const ConnQual qualifier_;
  ListenerEvents& events_;
  const TcpNames names_;
  GuardedFd socket_;
  bool watching_ = false;
  bool waits_for_room_ = false;
  bool warned_ = false;
  std::list<HalfOpen> half_open_; // oldest first
};

} // namespace datum
