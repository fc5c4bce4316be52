// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/watched_socket.h"

#include <cassert>
#include <cerrno>

namespace datum {
namespace {

// True: the errno means a reset. After an orderly end the kernel says EPIPE.
bool is_reset(int error) {
  return error != EINTR && error != EAGAIN && error != ENOBUFS && error != ENOMEM && error != EPIPE;
}

} // namespace

Status WatchedSocket::watch(std::uint32_t events) {
  assert(!watched_);
  events_ = events;
  const Status status = reactor_.add(socket_.get(), events_, handler_);
  watched_ = status.ok();
  if (!watched_) events_ = 0;
  return status;
}

int WatchedSocket::change(std::uint32_t events) {
  assert(watched_);
  const int error = reactor_.change(socket_.get(), events, handler_);
  if (error == 0) events_ = events;
  return error;
}

void WatchedSocket::unwatch() {
  if (!watched_) return;
  reactor_.remove(socket_.get(), handler_);
  watched_ = false;
  events_ = 0;
}

void WatchedSocket::learn_of(int error) {
  if (!is_reset(error)) return;
  reset_ = true;
  error_ = error;
}

} // namespace datum
