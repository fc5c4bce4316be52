// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_sender.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/cancellation.h"
#include "base/refused_calls.h"
#include "transport/tcp/inet_socket.h"
#include "transport/tcp/tcp_state.h"

namespace datum {
namespace {

constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
// A post of more octets may take longer than waiting::kOnePost, so the clock is read for it.
constexpr std::uint64_t kQuickPost = 4096;
// How long a segment size is used before it is read again. The path seldom changes. If it does, TCP
// only cuts an FPDU that is larger than a segment in two.
constexpr Duration kMeasuredFor = kSecond;

ssize_t send_piece(int socket, iwarp::Octets octets) {
  return ::send(socket, octets.data(), octets.size(), kFlags);
}

ssize_t send_pieces(int socket, std::span<const iwarp::Octets> octets) {
  std::array<iovec, TcpContext::kPieces> pieces;
  for (std::size_t i = 0; i < octets.size(); ++i)
    pieces[i] = {const_cast<std::byte*>(octets[i].data()), octets[i].size()};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = octets.size();
  return ::sendmsg(socket, &message, kFlags);
}

} // namespace

void TcpSender::measure() {
  measured_ = context_.now();
  session_.set_segment_size(segment_size(socket_.get()));
  session_.set_round_trip(tcp_state(socket_.get()).round_trip);
}

// The segment size of TCP follows the path (RFC 5044: EMSS), and so does the largest FPDU to a
// foreign peer. An own peer takes FPDUs of any size.
void TcpSender::measure_again() {
  if (session_.peer_is_own() || context_.now() - measured_ < kMeasuredFor) return;
  measured_ = context_.now();
  session_.set_segment_size(segment_size(socket_.get()));
}

// --- within the call that posts ------------------------------------------------------------------

bool TcpSender::may_wait() {
  const bool alone = posts_.add(context_.turns);
  return context_.habit.comes_back_soon() && !(alone && session_.is_awaited());
}

// Posting a short request takes hardly longer than reading the clock. So a short request that
// follows another one is only counted.
void TcpSender::watch_poster(std::uint64_t length) {
  PostingHabit& habit = context_.habit;
  if (!habit.waits() || !habit.comes_back_soon() || length > kQuickPost)
    habit.posted(context_.now());
  else
    habit.posted_another();
}

bool TcpSender::send_at_once(std::size_t most) {
  if (full_ || !socket_.is_watched()) return false;
  measure_again(); // for the next request: this one has been built
  const std::size_t count = session_.output_at_once(context_.octets);
  if (count == 0) return false;
  const ssize_t sent = send({context_.octets.data(), count}, most);
  if (sent < 0) socket_.learn_of(errno);
  if (sent <= 0) return false;
  watch_window();
  sent_untold_ = session_.sent_at_once(static_cast<std::size_t>(sent));
  return !sent_untold_ && !session_.has_output();
}

// --- in a turn -----------------------------------------------------------------------------------

// Sends `most` octets, and goes on to the end of an FPDU. kAll means that no other connection
// waits, so all octets are sent.
ssize_t TcpSender::send(std::span<const iwarp::Octets> octets, std::size_t most) {
  return send_all(most == TcpTurn::kAll ? octets : beginning(octets, most));
}

ssize_t TcpSender::send_all(std::span<const iwarp::Octets> octets) {
  const NotCancellable here;
  const bool single = octets.size() == 1;
  const int socket = socket_.get();
  const ssize_t sent = single ? send_piece(socket, octets[0]) : send_pieces(socket, octets);
  // A sandbox may refuse one of the two calls and permit the other.
  if (sent < 0 && is_refusal_of_call(errno)) [[unlikely]]
    return single ? send_pieces(socket, octets) : send_piece(socket, octets[0]);
  return sent;
}

// The pieces that hold the first `least` octets, and one piece more. Behind a large payload, the
// additional piece holds the trailer and the next header.
std::span<const iwarp::Octets> TcpSender::beginning(std::span<const iwarp::Octets> octets,
                                                    std::size_t least) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    size += octets[i].size();
    if (size >= least) return octets.first(std::min(i + 2, octets.size()));
  }
  return octets;
}

TcpSender::Outcome TcpSender::transmit(bool with_ack, std::size_t most) {
  std::size_t left = most;
  const bool alone = most == TcpTurn::kAll;
  while (socket_.is_watched() && !full_ &&
         (session_.has_output() || (with_ack && session_.owes_ack()))) {
    if (left == 0) return {.turn_is_over = true};
    measure_again();
    const std::size_t count = session_.output(context_.octets, context_.now());
    if (count == 0) return {}; // the session has ended, or will try again when it has memory
    const ssize_t sent = send({context_.octets.data(), count}, alone ? most : left);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return not_sent(errno);
    }
    const auto size = static_cast<std::size_t>(sent);
    left -= std::min(left, size);
    watch_window();
    context_.turn.sent(size);
    session_.sent(size, context_.now());
  }
  return {};
}

TcpSender::Outcome TcpSender::not_sent(int error) {
  if (error == EAGAIN) {
    full_ = true;
  } else if (error == ENOBUFS || error == ENOMEM) {
    next_try_ = context_.now() + kMillisecond;
  } else {
    socket_.learn_of(error);
    return {.error = error};
  }
  return {};
}

} // namespace datum
