// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_receiver.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/cancellation.h"
#include "base/log.h"
#include "base/refused_calls.h"
#include "transport/tcp/inet_socket.h"

namespace datum {
namespace {

// From this size on a copy costs more than one more system call.
constexpr std::uint64_t kStraightLeast = 12 * 1024;
// A read of the payload of a large FPDU also asks for this many octets behind the payload. They
// hold a short FPDU and the next header. Further octets would mostly be payload, which would have
// to be copied. Over loopback a message of 64 KiB consists of a short FPDU of 0.8 KiB, and a large
// one.
constexpr std::size_t kNextBeginning = 1024;

// A read that brings at least this many messages or octets is a batch. After a batch the peer takes
// some time to send the next octets. Polls in that time find nothing. They also delay the next
// octets, since a poll holds the socket's lock, which the kernel needs to deliver octets.
constexpr std::uint32_t kBatch = 16;
constexpr std::size_t kBulk = 32 * 1024;

// "epoll_ctl", not "sendto and sendmsg".
bool is_one_call(std::string_view calls) {
  return calls.find(' ') == std::string_view::npos;
}

// True: a later read may succeed.
constexpr bool is_for_now(int error) {
  return error == EAGAIN || error == ENOMEM || error == ENOBUFS;
}

ssize_t receive_piece(int socket, const iovec& piece) {
  ssize_t got = 0;
  do {
    got = ::recv(socket, piece.iov_base, piece.iov_len, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  return got;
}

// As readv() does: the caller takes a short read as a sign that no more has come.
ssize_t receive_one_by_one(int socket, std::span<const iovec> pieces) {
  ssize_t sum = 0;
  for (const iovec& piece : pieces) {
    const ssize_t got = receive_piece(socket, piece);
    if (got <= 0) return sum > 0 ? sum : got;
    sum += got;
    if (static_cast<std::size_t>(got) < piece.iov_len) break;
  }
  return sum;
}

} // namespace

bool TcpReceiver::receive(std::size_t most) {
  bool any = false;
  const std::uint32_t exchanged = session_.exchanged();
  std::size_t left = most;
  for (bool more = true; more && left != 0 && reading() && socket_.is_watched();) {
    const Found found = receive_once(left);
    if (found == Found::Nothing) break;
    any = true;
    more = found == Found::More;
  }
  if (any) {
    // The consumer may now post requests in answer to what was read. For PostsInTurn these belong
    // to a new turn.
    ++context_.turns;
    context_.in_batches = session_.exchanged() - exchanged >= kBatch || most - left >= kBulk;
  }
  return any;
}

// A single piece is read with recv(): with readv() a short message takes 2 % longer.
ssize_t TcpReceiver::receive_into(std::span<const iovec> pieces) {
  ssize_t got = 0;
  do {
    got = pieces.size() == 1
              ? ::recv(socket_.get(), pieces[0].iov_base, pieces[0].iov_len, MSG_DONTWAIT)
              : ::readv(socket_.get(), pieces.data(), static_cast<int>(pieces.size()));
  } while (got < 0 && errno == EINTR);
  return got;
}

// After receive_into() has failed. A sandbox may refuse one of the two calls and permit the other.
ssize_t TcpReceiver::receive_by_other_call(std::span<const iovec> pieces) {
  if (!is_refusal_of_call(errno)) return -1;
  if (pieces.size() > 1) return receive_one_by_one(socket_.get(), pieces);
  return ::readv(socket_.get(), pieces.data(), 1);
}

TcpReceiver::Found TcpReceiver::receive_once(std::size_t& left) {
  auto& places = context_.places;
  std::array<iovec, TcpContext::kPieces + 1> pieces;
  // Large messages mostly follow each other, so the size of the last payload decides.
  const bool large = session_.payload_size() >= kStraightLeast;
  const std::size_t count = large ? session_.places(places, context_.now()) : 0;
  std::uint64_t straight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    pieces[i] = {places[i].address, static_cast<std::size_t>(places[i].length)};
    straight += places[i].length;
  }
  const bool little = count != 0 || (large && session_.at_header());
  const std::size_t behind = little ? kNextBeginning : context_.staging.size();
  pieces[count] = {context_.staging.data(), behind};
  const std::size_t asked = static_cast<std::size_t>(straight) + behind;
  ssize_t got = receive_into({pieces.data(), count + 1});
  if (got < 0) {
    // Octets that cannot be read for lack of memory stay in the socket until the next read.
    if (is_for_now(errno)) return Found::Nothing;
    got = receive_by_other_call({pieces.data(), count + 1});
  }
  if (got < 0) {
    if (is_for_now(errno)) return Found::Nothing;
    lose(errno, "recvfrom and readv");
    return Found::All;
  }
  if (got == 0 && socket_.was_reset()) { // an earlier send got the error of the reset
    lose();
    return Found::All;
  }
  if (got == 0) {
    at_end_ = true;
    session_.end_of_stream(context_.now());
    return Found::All;
  }
  const auto size = static_cast<std::size_t>(got);
  left -= std::min(left, size);
  const auto placed = static_cast<std::size_t>(std::min<std::uint64_t>(size, straight));
  if (placed != 0) session_.placed(placed, context_.now());
  if (size > placed && !take({context_.staging.data(), size - placed})) return Found::All;
  return size == asked ? Found::More : Found::All;
}

// False: nothing more is read for now.
bool TcpReceiver::take(iwarp::Octets octets) {
  const std::size_t taken = session_.feed(octets, context_.now());
  if (taken == octets.size()) return true;
  const iwarp::Octets rest = octets.subspan(taken);
  try {
    held_.assign(rest.begin(), rest.end());
  } catch (const std::bad_alloc&) {
    log(LogLevel::Warn, "{}: no memory for {} octets that wait for a receive; connection broken",
        to_text(remote_name(socket_.get()).host), rest.size());
    lose();
  }
  return false;
}

void TcpReceiver::feed_held() {
  if (held_.empty()) return;
  const std::vector<std::byte> waited = std::exchange(held_, {});
  take(waited);
}

void TcpReceiver::on_end_behind() {
  end_is_behind_ = true;
  session_.end_is_behind(context_.now());
}

void TcpReceiver::lose() {
  socket_.unwatch();
  session_.lost(context_.now());
}

void TcpReceiver::lose(int error, const char* calls) {
  if (is_refusal_of_call(error) && socket_.is_watched()) tell_refused(error, calls);
  socket_.set_error(error);
  lose();
}

// Nothing else says that the peer is not to blame.
void TcpReceiver::tell_refused(int error, const char* calls) const {
  try {
    log_of_peer(LogLevel::Warn,
                "connection with {} over TCP: it breaks: {} refuses {}: {}; permit {}",
                text_of_peer(socket_.get()), kSandbox, calls, std::strerror(error),
                is_one_call(calls) ? "it" : "one of these calls");
  } catch (const std::bad_alloc&) { // no memory for the text of the address
    log_out_of_memory();
  }
}

void TcpReceiver::throw_away() {
  const NotCancellable here;
  constexpr int kMost = 64; // about a receive buffer: the peer may never stop sending
  const iovec piece{context_.staging.data(), context_.staging.size()};
  for (int i = 0; i < kMost; ++i) {
    ssize_t got = receive_piece(socket_.get(), piece);
    if (got < 0) got = receive_by_other_call({&piece, 1});
    if (got <= 0) return;
  }
}

} // namespace datum
