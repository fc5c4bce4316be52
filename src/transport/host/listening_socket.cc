// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/listening_socket.h"

#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/assertion.h"

namespace datum {
namespace {

constexpr Duration kRestWithoutDescriptors = 100 * kMillisecond;

// True: the error concerns only the connection that would have been accepted (accept(2)). The next
// connection may be good.
bool concerns_one_peer(int error) {
  switch (error) {
  case ECONNABORTED:
  case EINTR:
  case EPROTO:
  case ENOPROTOOPT:
  case ENETDOWN:
  case ENETUNREACH:
  case ENONET:
  case EHOSTDOWN:
  case EHOSTUNREACH: return true;
  default: return false;
  }
}

} // namespace

ListeningSocket::~ListeningSocket() {
  FdHandler& self = *this;
  if (socket_ && state_ != ListeningState::Unwatched) reactor_.remove(socket_.get(), self);
}

bool ListeningSocket::on(ListeningEvent event) {
  const std::optional<ListeningState> next = next_in(kListeningTable, state_, event);
  if (next) state_ = *next;
  return next.has_value();
}

Status ListeningSocket::begin() {
  FdHandler& self = *this;
  const Status status = reactor_.add(socket_.get(), EPOLLIN, self);
  if (!status.ok()) return status;
  const bool moved = on(ListeningEvent::Begin);
  DATUM_ASSERT(moved);
  return kOk;
}

void ListeningSocket::rest(ListeningEvent why, Instant until) {
  if (on(why) && watch_for(0)) lent_.arm(*this, until);
}

// False: a sandbox that came up later refuses the change. Then the socket is closed: a peer that
// waits in the backlog would be reported again and again, or never.
bool ListeningSocket::watch_for(std::uint32_t events) {
  FdHandler& self = *this;
  const int error = reactor_.change(socket_.get(), events, self);
  if (error == 0) return true;
  on(ListeningEvent::Refused);
  reactor_.remove(socket_.get(), self);
  socket_.reset();
  owner_.on_closed(error);
  return false;
}

void ListeningSocket::on_expired(Instant) {
  if (on(ListeningEvent::TimeOver)) watch_for(EPOLLIN);
}

void ListeningSocket::room_was_made() {
  if (!on(ListeningEvent::RoomMade)) return;
  cancel();
  watch_for(EPOLLIN);
}

void ListeningSocket::on_ready(std::uint32_t) {
  if (state_ != ListeningState::Watched) return;
  owner_.begin_turn();
  for (int i = 0; i < at_once_; ++i) {
    if (const auto until = owner_.full()) return rest(ListeningEvent::NoRoom, *until);
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    GuardedFd accepted = GuardedFd::take([&] {
      return ::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &length,
                       SOCK_CLOEXEC | SOCK_NONBLOCK);
    });
    if (accepted) {
      owner_.welcome(std::move(accepted), peer);
      continue;
    }
    const int error = errno;
    if (concerns_one_peer(error)) continue;
    if (error == EAGAIN) return;
    if (!owner_.on_lack(error))
      return rest(ListeningEvent::Failed, lent_.progress->now() + kRestWithoutDescriptors);
  }
}

} // namespace datum
