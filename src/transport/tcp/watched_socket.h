// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/watched_socket.h: the socket of a connection.
// Lives here: what the reactor looks for on it; with what error it ended.
// Not here:   what is read and sent (tcp_receiver.h, tcp_sender.h); its options (inet_socket.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <utility>

#include "progress/reactor.h"
#include "transport/host/fork_guard.h"

namespace datum {

class WatchedSocket {
 public:
  WatchedSocket(Reactor& reactor, GuardedFd socket, FdHandler& handler)
      : reactor_(reactor), handler_(handler), socket_(std::move(socket)) {}
  ~WatchedSocket() { unwatch(); }
  WatchedSocket(const WatchedSocket&) = delete;
  WatchedSocket& operator=(const WatchedSocket&) = delete;

  int get() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }

  // --- what the reactor looks for: events of epoll; 0: errors alone ------------------------------
  Status watch(std::uint32_t events);
  bool is_watched() const { return watched_; }
  // While it is watched.
  void watch_for(std::uint32_t events) {
    if (events != events_) change(events);
  }
  void unwatch();
  std::uint32_t events() const { return events_; }

  // --- its end -----------------------------------------------------------------------------------
  // What a call that sends has found out. The kernel says once that the connection was reset, and
  // a read afterwards finds what looks like an end in order.
  void learn_of(int error);
  void set_error(int error) { error_ = error; }
  bool was_reset() const { return reset_; }
  int error() const { return error_; }

 private:
  void change(std::uint32_t events);

  Reactor& reactor_;
  FdHandler& handler_;
  GuardedFd socket_;
  std::uint32_t events_ = 0;
  bool watched_ = false;
  bool reset_ = false; // it did not end in order
  int error_ = 0;
};

} // namespace datum
