// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/listening_socket.h: accepts connections as long as there is room.
// Lives here: how many are accepted in one turn, when the socket is not watched, and until when.
// Not here:   taking names and ports; what happens to accepted connections.
// Bounds:     the owner sets how many are accepted in one turn.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <sys/socket.h>

#include "core/port/transport.h"
#include "progress/reactor.h"
#include "transport/host/fork_guard.h"
#include "transport/host/listening_state.h"

namespace datum {

class ListeningOwner {
 public:
  // Connections wait to be accepted. Calls of full(), welcome() and on_lack() follow.
  virtual void begin_turn() {}
  // nullopt: one more connection may be accepted. Otherwise the socket rests until this time, or
  // until room_was_made().
  virtual std::optional<Instant> full() = 0;
  // peer: the address of the peer, which the kernel no longer tells once the peer has ended the
  // connection.
  virtual void welcome(GuardedFd accepted, const sockaddr_storage& peer) = 0;
  // accept() failed with an errno that concerns more than one peer. The owner logs it. True: the
  // owner may have freed what was short, so accept() is tried again.
  virtual bool on_lack(int error) = 0;
  // A sandbox refuses epoll_ctl() with this errno, and nobody is accepted any more. The owner logs
  // it.
  virtual void on_closed(int error) = 0;

 protected:
  ~ListeningOwner() = default;
};

class ListeningSocket final : private FdHandler, private Timer {
 public:
  ListeningSocket(Reactor& reactor, const TransportHost& lent, GuardedFd socket,
                  ListeningOwner& owner, int at_once)
      : reactor_(reactor), lent_(lent), owner_(owner), at_once_(at_once),
        socket_(std::move(socket)) {}
  ~ListeningSocket() override;
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  Status begin();
  int get() const { return socket_.get(); }
  // The owner calls this when an accepted connection is over.
  void room_was_made();

 private:
  void on_ready(std::uint32_t events) override;
  void on_expired(Instant now) override;
  bool on(ListeningEvent event);
  void rest(ListeningEvent why, Instant until);
  bool watch_for(std::uint32_t events);

  Reactor& reactor_;
  const TransportHost& lent_;
  ListeningOwner& owner_;
  const int at_once_;
  GuardedFd socket_;
  ListeningState state_ = ListeningState::Unwatched;
};

} // namespace datum
