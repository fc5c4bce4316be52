// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/watched_socket.h: the socket of a connection.
// Lives here: the events that the reactor watches for; the error with which the socket ended.
// Not here:   reading and sending (tcp_receiver.h, tcp_sender.h); options (inet_socket.h).
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

  // --- the watch: `events` are those of epoll; 0: errors alone -----------------------------------
  Status watch(std::uint32_t events);
  bool is_watched() const { return watched_; }
  // The socket must be watched. Returns 0, or the errno with which a sandbox refuses the change.
  [[nodiscard]] int watch_for(std::uint32_t events) {
    return events != events_ ? change(events) : 0;
  }
  void unwatch();
  std::uint32_t events() const { return events_; }

  // --- the end of the connection -----------------------------------------------------------------
  // A call that sends has failed with this errno. If it is a reset, it is kept: the kernel reports
  // a reset only once, and to a later read the end looks orderly.
  void learn_of(int error);
  void set_error(int error) { error_ = error; }
  bool was_reset() const { return reset_; }
  int error() const { return error_; }

 private:
  int change(std::uint32_t events);

  Reactor& reactor_;
  FdHandler& handler_;
  GuardedFd socket_;
  std::uint32_t events_ = 0;
  bool watched_ = false;
  bool reset_ = false; // the connection was reset
  int error_ = 0;
};

} // namespace datum
