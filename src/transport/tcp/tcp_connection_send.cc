// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_connection_send.cc: what leaves with the call that posts it, what waits for a
// turn, and how much leaves then.
#include <algorithm>
#include <cerrno>
#include <limits>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include "base/cancellation.h"
#include "base/refused_calls.h"
#include "transport/tcp/tcp_connection.h"

namespace datum {
namespace {

// Whoever posts more than that has done something else meanwhile, and the next post is a later one.
constexpr std::uint64_t kQuickPost = 4096;

// What a call that sends has found out. The kernel says so once, and whoever reads afterwards finds
// what looks like an end in order. After such an end it says EPIPE instead.
bool is_reset(int error) {
  return error != EINTR && error != EAGAIN && error != ENOBUFS && error != ENOMEM && error != EPIPE;
}

} // namespace

void TcpConnection::started(std::uint64_t length) {
  const bool waits = may_wait();
  const bool sent = !waits && send_at_once();
  if (sent && context_.habit.comes_back_soon()) return;
  watch_poster(length);
  if (sent) return;
  touch();
  // A turn is under way, or its socket takes no more, or whoever posts is about to look, or it is
  // only to be told.
  if (!waits && !inside_ && !full_ && session_.has_output()) context_.lent.progress->hurry();
}

// Of those who come back soon, requests wait that are not alone, between two turns or on their way:
// they leave with one system call. Who has posted several will do it again.
bool TcpConnection::may_wait() {
  if (turn_ != context_.turns) {
    turn_ = context_.turns;
    several_ = std::exchange(started_, 0) > 1;
  }
  const bool alone = ++started_ == 1 && !several_;
  return context_.habit.comes_back_soon() && !(alone && session_.is_awaited());
}

// How long it takes from the last of several posts until somebody looks. One that is short and
// waits takes hardly longer than a look at the clock.
void TcpConnection::watch_poster(std::uint64_t length) {
  PostingHabit& habit = context_.habit;
  if (!habit.waits() || !habit.comes_back_soon() || length > kQuickPost)
    habit.posted(context_.now());
  else
    habit.posted_another();
}

// Tells nobody anything: whoever posts is told by its own call. False: there is more to send, or to
// find out why it cannot be sent, or something to tell.
bool TcpConnection::send_at_once() {
  if (inside_ || full_ || !watching_) return false;
  // What other connections were told to send before leaves before.
  if (context_.pending.holds_others(*this)) return false;
  measure_again(); // for the next request: this one is built
  const std::size_t count = session_.output_at_once(context_.octets);
  if (count == 0) return false;
  const std::span<const iwarp::Octets> all(context_.octets.data(), count);
  // And beside those that continue it has a share, as in a turn.
  const bool alone = !context_.continuing.holds_others(*this);
  const ssize_t sent = send(alone ? all : beginning(all, TcpTurn::kShare));
  if (sent < 0) learn_of(errno);
  if (sent <= 0) return false;
  if (look_at_window_ == kNever) [[unlikely]]
    watch_window();
  sent_untold_ = session_.sent_at_once(static_cast<std::size_t>(sent));
  if (sent_untold_ || session_.has_output()) return false;
  // The acknowledgement that waited for its turn has left with it.
  if (!receive_posted_) PendingHook::unlink();
  return true;
}

ssize_t TcpConnection::send(std::span<const iwarp::Octets> octets) {
  constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
  const NotCancellable here;
  if (octets.size() == 1) return ::send(socket_.get(), octets[0].data(), octets[0].size(), kFlags);
  std::array<iovec, TcpContext::kPieces> pieces;
  for (std::size_t i = 0; i < octets.size(); ++i)
    pieces[i] = {const_cast<std::byte*>(octets[i].data()), octets[i].size()};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = octets.size();
  const ssize_t sent = ::sendmsg(socket_.get(), &message, kFlags);
  // A sandbox may refuse the call, which can also pass descriptors on, and permit the simple one.
  if (sent < 0 && is_refusal_of_call(errno)) [[unlikely]]
    return ::send(socket_.get(), octets[0].data(), octets[0].size(), kFlags);
  return sent;
}

// The pieces in which `least` octets end, and what is behind the last of them: with a large payload
// its trailer, and the next header.
std::span<const iwarp::Octets> TcpConnection::beginning(std::span<const iwarp::Octets> octets,
                                                        std::size_t least) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    size += octets[i].size();
    if (size >= least) return octets.first(std::min(i + 2, octets.size()));
  }
  return octets;
}

void TcpConnection::learn_of(int error) {
  if (!is_reset(error)) return;
  reset_ = true;
  error_ = error;
}

void TcpConnection::transmit(bool with_ack, std::size_t most) {
  if (waits_for_its_turn()) return;
  std::size_t left = most;
  auto& octets = context_.octets;
  while (watching_ && !full_ && (session_.has_output() || (with_ack && session_.owes_ack()))) {
    if (left == 0) {
      if (most == 0)
        touch();
      else
        context_.continue_later(*this);
      return;
    }
    measure_again();
    const std::size_t count = session_.output(octets, context_.now());
    if (count == 0) return; // no memory now: the session asks for another try; or it has ended
    const std::span<const iwarp::Octets> all(octets.data(), count);
    const bool alone = most == TcpTurn::kAll; // nobody waits for what is beyond the turn
    const ssize_t sent = send(alone ? all : beginning(all, left));
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        full_ = true;
      } else if (errno == ENOBUFS || errno == ENOMEM) {
        send_again_ = context_.now() + kMillisecond;
      } else {
        const int error = errno;
        const NotCancellable here;
        // What has arrived may say why, or that the peer had ended in order before.
        learn_of(error);
        receive(std::numeric_limits<std::size_t>::max());
        fail_with(error);
      }
      return;
    }
    const auto size = static_cast<std::size_t>(sent);
    left -= std::min(left, size);
    if (look_at_window_ == kNever) [[unlikely]]
      watch_window();
    context_.turn.sent(size);
    session_.sent(size, context_.now());
  }
}

} // namespace datum
