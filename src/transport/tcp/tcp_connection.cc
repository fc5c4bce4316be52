// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_connection.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

#include "base/cancellation.h"
#include "base/log.h"
#include "base/text.h"
#include "transport/tcp/inet_socket.h"
#include "transport/tcp/tcp_state.h"

namespace datum {
namespace {

iwarp::SessionSettings settings(const TcpOptions& options, bool same_host) {
  iwarp::SessionSettings chosen;
  chosen.crc = options.crc == CrcPolicy::On || (options.crc == CrcPolicy::Auto && !same_host);
  chosen.hello = options.hello;
  chosen.receive_timeout = options.receive_timeout;
  chosen.fpdu_timeout = options.dead_peer_timeout;
  chosen.request_timeout = options.request_timeout;
  chosen.first_fpdu_timeout = options.first_fpdu_timeout;
  chosen.end_timeout = options.end_timeout;
  chosen.most_unexpected = options.most_unexpected;
  chosen.most_unsent = options.unsent(same_host);
  return chosen;
}

// Describes the segment that brought the peer's Terminate, if no Terminate may come in such a
// segment.
std::string oddity(const std::optional<iwarp::UntaggedHeader>& header) {
  if (!header) return {};
  return text(", in a segment that may bring none: queue {}, MSN {}, offset {}{}", header->queue,
              header->msn, header->offset, header->control.last ? "" : ", not the last");
}

} // namespace

TcpConnection::TcpConnection(TcpContext& context, GuardedFd socket, bool same_host)
    : context_(context), serial_(context.made++), same_host_(same_host),
      socket_(context.reactor, std::move(socket), *this),
      session_(settings(context.options, same_host), context.chunks, *this),
      window_(context.options.dead_peer_timeout), receiver_(context, socket_, session_),
      sender_(context, socket_, session_, window_) {
  ++context_.connections;
}

TcpConnection::~TcpConnection() {
  --context_.connections;
  if (released_) --context_.endings;
  socket_.unwatch();
  if (!socket_ || !begun_) return;
  if (!session_.finished() || session_.must_reset())
    reset_when_closed(socket_.get());
  else
    receiver_.throw_away();
}

Status TcpConnection::expect_connection(TcpOwner& owner) {
  untold_.set_owner(&owner);
  connecting_ = true;
  return socket_.watch(EPOLLOUT);
}

Status TcpConnection::expect_request(TcpOwner& owner) {
  untold_.set_owner(&owner);
  tune(socket_.get(), context_.options.dead_peer_timeout);
  session_.expect_request(context_.now());
  measure();
  const Status status = socket_.watch(EPOLLIN);
  if (status.ok()) settle();
  return status;
}

void TcpConnection::measure() {
  begun_ = true;
  sender_.measure();
}

// A request without an acknowledgement may have reached the peer all the same: a reset overtakes
// the acknowledgement, and a peer that closes at once may not have read the request yet. So the
// request counts as lost only if TCP has also sent it again, as it does when no acknowledgement
// comes.
bool TcpConnection::request_was_lost() const {
  const TcpState state = tcp_state(socket_.get());
  return state.sent_again != 0 && state.acknowledged < session_.startup_size();
}

void TcpConnection::receive_posted() {
  receive_posted_ = true;
  touch();
}

bool TcpConnection::waits_for_receive(bool oldest_is_message) {
  if (receiver_.holds()) return true;
  const bool still = window_.peer_stands_still(socket_.get(), session_.has_output());
  return oldest_is_message && session_.peer_is_known() && still;
}

bool TcpConnection::is_over() const {
  if (!begun_) return !connecting_;
  return session_.finished() && session_.deadline() == kNever;
}

// --- turns ---------------------------------------------------------------------------------------

void TcpConnection::run(std::size_t most) {
  const AtWork at_work(*this);
  if (!begun_) {
    settle();
    return;
  }
  if (std::exchange(receive_posted_, false)) {
    session_.on_receive_posted(context_.now());
    receiver_.feed_held();
  }
  sender_.tell_sent();
  transmit(true, most);
  settle();
}

void TcpConnection::catch_up() {
  if (!begun_ || connecting_) return;
  const NotCancellable here;
  run(share());
  const AtWork at_work(*this);
  if (receiver_.reading() && receiver_.receive(TcpTurn::kAll)) answer();
}

void TcpConnection::on_expired(Instant now) {
  const AtWork at_work(*this);
  armed_ = kNever;
  sender_.try_again();
  sender_.tell_sent();
  if (now >= window_.next_look()) look_at_window();
  session_.on_time(now);
  transmit(true, share());
  settle();
}

void TcpConnection::look(short events, Instant now) {
  if (events != 0) on_ready(static_cast<std::uint32_t>(events));
  if (now < armed_) return;
  cancel();
  on_expired(now);
}

void TcpConnection::on_connected() {
  connecting_ = false;
  int error = connect_result(socket_.get());
  // Not before: how long a host may be silent before its first answer, the consumer decides.
  if (error == 0) tune(socket_.get(), context_.options.dead_peer_timeout);
  watch_needed_events();
  if (error == 0) error = socket_.error();
  if (TcpOwner* owner = untold_.owner()) owner->on_tcp_connected(error);
  settle();
}

void TcpConnection::on_ready(std::uint32_t events) {
  const AtWork at_work(*this);
  if (connecting_) {
    on_connected();
    return;
  }
  sender_.tell_sent();
  // A released connection sends its last message in the order of `ending`, not of `continuing`.
  if ((events & EPOLLOUT) != 0 && sender_.on_writable() && session_.has_output() &&
      context_.turn.to_send() == 0 && !released_)
    context_.continue_later(*this);
  if (receiver_.reading()) {
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receiver_.receive(context_.turn.to_read());
  } else if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    receiver_.lose(); // the stream has ended, with octets that were not read
  } else if ((events & EPOLLRDHUP) != 0) {
    receiver_.on_end_behind();
  }
  answer();
}

std::optional<bool> TcpConnection::look_unasked() {
  if (socket_.events() != EPOLLIN || connecting_ || !begun_) return std::nullopt;
  const AtWork at_work(*this);
  sender_.tell_sent();
  if (!receiver_.receive(context_.turn.to_read())) return false;
  answer();
  return true;
}

// Sends no acknowledgement by itself. The consumer has been told of what arrived and may be about
// to answer, and the answer will carry the acknowledgement. Without an answer, the acknowledgement
// leaves with the next progress().
void TcpConnection::answer() {
  transmit(false, share());
  settle();
}

// --- sending -------------------------------------------------------------------------------------

// How much this connection may send in this turn, outside the order of the waiting connections.
std::size_t TcpConnection::share() const {
  const std::size_t left = context_.turn.to_send();
  return context_.others_wait(*this) ? std::min(left, TcpTurn::kShare) : left;
}

void TcpConnection::started(std::uint64_t length) {
  const bool waits = sender_.may_wait();
  const bool sent = !waits && send_at_once();
  if (sent && context_.habit.comes_back_soon()) return;
  sender_.watch_poster(length);
  if (sent) return;
  touch();
  // No thread has to be woken in these cases: the poster is about to poll, this connection is at
  // work, the socket takes no more, or the request has left and only its completion is due.
  if (!waits && !inside_ && !sender_.full() && session_.has_output())
    context_.lent.progress->wake_promptly();
}

bool TcpConnection::send_at_once() {
  // Connections that have waited for a turn send before this one.
  if (inside_ || context_.pending.holds_others(*this)) return false;
  // If other connections are waiting to continue, this one may send only a share, as in a turn.
  const bool alone = !context_.continuing.holds_others(*this);
  const bool sent = sender_.send_at_once(alone ? TcpTurn::kAll : TcpTurn::kShare);
  if (window_.next_look() < armed_) [[unlikely]] // settle(), which else does this, is not called
    arm_at(window_.next_look());
  // An acknowledgement that waited for a turn has left with the request, so no turn is needed.
  if (sent && !receive_posted_) PendingHook::unlink();
  return sent;
}

void TcpConnection::transmit(bool with_ack, std::size_t most) {
  if (waits_for_its_turn()) return;
  const TcpSender::Outcome outcome = sender_.transmit(with_ack, most);
  if (outcome.turn_is_over) {
    if (most == 0)
      touch();
    else
      context_.continue_later(*this);
  } else if (outcome.error != 0) {
    const NotCancellable here;
    // Octets that have arrived may tell the cause, or that the peer had ended the connection in an
    // orderly way before.
    receiver_.receive(std::numeric_limits<std::size_t>::max());
    receiver_.lose(outcome.error, "sendto and sendmsg");
  }
}

// --- after release() -----------------------------------------------------------------------------

void TcpConnection::release(std::unique_ptr<TcpConnection> connection) {
  TcpConnection* one = connection.release(); // owned by the list from here on
  one->untold_.set_owner(nullptr);
  one->released_ = true;
  one->connecting_ = false;
  one->receiver_.drop_held();
  static_cast<UntoldHook*>(one)->unlink();
  one->context_.ending.push_back(*one);
  ++one->context_.endings;
  static_cast<PendingHook*>(one)->unlink(); // last messages leave in the order of the releases
  one->begin_leaving();
}

// The program may exit as soon as it knows that the connection has ended. So the last message
// should leave before this call returns. It leaves here if no connection is at work or waits for a
// turn. If only this connection is at work, it leaves at the end of that work. Otherwise it has to
// wait for progress().
void TcpConnection::begin_leaving() {
  const bool at_once = begun_ && context_.pending.empty();
  if (!at_once || (context_.at_work && !inside_)) {
    touch();
  } else if (!inside_) {
    const NotCancellable here;
    run(TcpTurn::kShare);
  }
}

void TcpConnection::leave() {
  if (is_over() || !begun_) return;
  PendingHook::unlink(); // this connection gets no later turn
  transmit(true, TcpTurn::kAll);
  session_.expect_nothing();
  shut_down_if_wanted();
  if (!session_.has_shut_down()) return;
  receiver_.throw_away();
  begun_ = false; // the kernel ends the connection in an orderly way
}

void TcpConnection::shut_down_if_wanted() {
  if (waits_for_its_turn() || !session_.wants_shutdown()) return;
  ::shutdown(socket_.get(), SHUT_WR);
  session_.shut_down();
}

// True: a released connection still has to send its last message or its end of the stream. It may
// have been released after the work under way had sent.
bool TcpConnection::has_more_to_say() const {
  if (!released_ || !socket_.is_watched() || sender_.next_try() != kNever) return false;
  return session_.has_output() || session_.wants_shutdown();
}

// --- after each piece of work --------------------------------------------------------------------

void TcpConnection::settle() {
  tell_log();
  shut_down_if_wanted();
  tell_owner();
  if (is_over()) {
    cancel();
    armed_ = kNever;
    socket_.unwatch();
    if (released_) {
      context_.some_ended = true;
      touch();
    }
    return;
  }
  if (!sender_.full() && (session_.owes_ack() || has_more_to_say())) touch();
  watch_needed_events();
  const Instant of_session = begun_ ? session_.deadline() : kNever;
  const Instant deadline = std::min({of_session, sender_.next_try(), window_.next_look()});
  if (deadline != armed_) arm_at(deadline);
}

void TcpConnection::arm_at(Instant when) {
  armed_ = when;
  if (when == kNever)
    cancel();
  else
    context_.arm(*this, when);
}

void TcpConnection::watch_needed_events() {
  if (!socket_.is_watched() || connecting_) return;
  const std::uint32_t needed = receiver_.awaited() | (sender_.full() ? EPOLLOUT : 0U);
  if (needed != socket_.events()) [[unlikely]]
    watch_for(needed);
}

// Where a sandbox refuses epoll_ctl(), the connection breaks. Without the event that it needs it
// would wait for ever, and an event that it does not read would be reported again and again.
void TcpConnection::watch_for(std::uint32_t events) {
  const int error = socket_.watch_for(events);
  if (error == 0) return;
  receiver_.lose(error, "epoll_ctl");
  touch(); // the next turn settles what follows
}

void TcpConnection::look_at_window() {
  if (!socket_.is_watched())
    window_.stop();
  else if (!window_.look(socket_.get(), context_.now()))
    receiver_.lose(ETIMEDOUT);
}

void TcpConnection::tell_owner() {
  if (untold_.owner() == nullptr) return;
  const bool others_first = context_.looking || !context_.untold.empty();
  if (others_first && untold_.has_request())
    defer();
  else
    untold_.tell_request();
  untold_.tell_no_reply(socket_.error());
  if (is_over()) untold_.tell_over();
}

void TcpConnection::defer() {
  if (UntoldHook::linked()) return;
  untold_.defer(context_.looks);
  context_.tell_later(*this);
}

// Errors of MPA are warnings, since no program causes them on purpose. All other errors are for
// information, since the consumer sees them in its completions, too.
void TcpConnection::tell_log() {
  const std::optional<iwarp::ErrorCode>& error = session_.last_error();
  if (!error || std::exchange(told_log_, true)) return;
  const LogLevel level = error->layer == iwarp::kLayerMpa ? LogLevel::Warn : LogLevel::Info;
  if (!log_enabled(level)) return;
  try {
    log_of_peer(level, "connection with {} over TCP: ended by {}: {} (Terminate {}/{}/{:02x}{})",
                text_of_peer(socket_.get()),
                session_.last_error_is_ours() ? "this side" : "the peer", iwarp::meaning(*error),
                error->layer, error->type, error->code, oddity(session_.odd_terminate()));
  } catch (const std::bad_alloc&) { // no memory for the text; the connection ends as usual
    log_out_of_memory();
  }
}

// --- SessionEvents -------------------------------------------------------------------------------

void TcpConnection::on_reply() {
  if (TcpOwner* owner = untold_.owner()) owner->on_reply();
}

bool TcpConnection::has_arrived(std::uint64_t octets) const {
  return tcp_state(socket_.get()).acknowledged >= octets;
}

bool TcpConnection::all_has_arrived() const {
  return unacknowledged(socket_.get()) == 0;
}

void TcpConnection::on_end(ChannelEvents& events, CloseReason reason) {
  untold_.on_end(events, reason);
  defer();
}

} // namespace datum
