// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_connection.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include "base/cancellation.h"
#include "base/log.h"
#include "base/text.h"
#include "transport/tcp/inet_socket.h"
#include "transport/tcp/tcp_state.h"

namespace datum {
namespace {

// From here on a copy costs more than one more system call.
constexpr std::uint64_t kStraightLeast = 12 * 1024;
// Behind a large FPDU only a short one and the next header are asked for: more would be payload to
// be copied. Over loopback a message of 64 KiB is 0.8 KiB and, in an FPDU of its own, the rest.
constexpr std::size_t kNextBeginning = 1024;

// From so many messages, or octets, on, what comes next takes its sender longer than a look in vain
// takes, and a look takes the lock that the kernel needs to deliver it.
constexpr std::uint32_t kBatch = 16;
constexpr std::size_t kBulk = 32 * 1024;
// A path changes seldom, and an FPDU that is larger than a segment is only cut in two meanwhile.
constexpr Duration kMeasuredFor = kSecond;

iwarp::Settings settings(const TcpOptions& options, bool same_host) {
  iwarp::Settings chosen;
  chosen.crc = options.crc == CrcPolicy::On || (options.crc == CrcPolicy::Auto && !same_host);
  chosen.hello = options.hello;
  chosen.receive_timeout = options.receive_timeout;
  chosen.fpdu_timeout = options.dead_peer_timeout;
  chosen.request_timeout = options.request_timeout;
  chosen.first_fpdu_timeout = options.first_fpdu_timeout;
  chosen.end_timeout = options.end_timeout;
  chosen.most_staged = options.most_staged;
  chosen.most_unsent = options.unsent(same_host);
  return chosen;
}

// Of the segment that brought the peer's Terminate.
std::string oddity(const std::optional<iwarp::UntaggedHeader>& header) {
  if (!header) return {};
  return text(", in a segment that may bring none: queue {}, MSN {}, offset {}{}", header->queue,
              header->msn, header->offset, header->control.last ? "" : ", not the last");
}

} // namespace

TcpConnection::TcpConnection(TcpContext& context, GuardedFd socket, bool same_host)
    : context_(context), serial_(context.made++), same_host_(same_host), socket_(std::move(socket)),
      session_(settings(context.options, same_host), context.chunks, *this),
      window_(context.options.dead_peer_timeout) {
  ++context_.connections;
}

TcpConnection::~TcpConnection() {
  --context_.connections;
  if (released_) --context_.endings;
  unwatch();
  if (!socket_ || !begun_) return;
  if (!session_.finished() || session_.must_reset())
    reset_when_closed(socket_.get());
  else
    throw_away_what_came();
}

Status TcpConnection::expect_connection(TcpOwner& owner) {
  owner_ = &owner;
  connecting_ = true;
  FdHandler& self = *this;
  watched_ = EPOLLOUT;
  const Status status = context_.reactor.add(socket_.get(), watched_, self);
  watching_ = status.ok();
  return status;
}

Status TcpConnection::expect_request(TcpOwner& owner) {
  owner_ = &owner;
  begun_ = true;
  tune(socket_.get(), context_.options.dead_peer_timeout);
  session_.expect_request(context_.now());
  measure();
  FdHandler& self = *this;
  watched_ = EPOLLIN;
  const Status status = context_.reactor.add(socket_.get(), watched_, self);
  watching_ = status.ok();
  if (watching_) settle();
  return status;
}

void TcpConnection::measure() {
  begun_ = true;
  measured_ = context_.now();
  session_.set_segment_size(segment_size(socket_.get()));
  session_.set_round_trip(tcp_state(socket_.get()).round_trip);
}

// What TCP puts into one segment follows the path (RFC 5044: EMSS), and so does the largest FPDU to
// a peer that may take no larger ones. One of ours takes all.
void TcpConnection::measure_again() {
  if (session_.peer_is_own() || context_.now() - measured_ < kMeasuredFor) return;
  measured_ = context_.now();
  session_.set_segment_size(segment_size(socket_.get()));
}

// Unacknowledged alone says little: a reset comes before the acknowledgement of what it answers,
// and whoever closes at once may not have had the request yet. But TCP sends again where none
// comes.
bool TcpConnection::request_was_lost() const {
  const TcpState state = tcp_state(socket_.get());
  return state.sent_again != 0 && state.acknowledged < session_.startup_size();
}

void TcpConnection::receive_posted() {
  receive_posted_ = true;
  touch();
}

bool TcpConnection::is_over() const {
  if (!begun_) return !connecting_;
  return session_.finished() && session_.deadline() == kNever;
}

// --- what others call ----------------------------------------------------------------------------

void TcpConnection::run(std::size_t most) {
  const AtWork at_work(*this);
  if (!begun_) {
    settle();
    return;
  }
  if (std::exchange(receive_posted_, false)) {
    session_.on_receive_posted(context_.now());
    if (!held_.empty()) {
      const std::vector<std::byte> waited = std::exchange(held_, {});
      take(waited);
    }
  }
  tell_sent();
  transmit(true, most);
  settle();
}

void TcpConnection::catch_up() {
  if (!begun_ || connecting_) return;
  const NotCancellable here;
  run(share());
  const AtWork at_work(*this);
  if (reading() && receive(TcpTurn::kAll)) answer();
}

// A foreign peer's requests end when TCP has them: before whatever is learned afterwards.
void TcpConnection::tell_sent() {
  if (std::exchange(sent_untold_, false)) session_.tell_sent(context_.now());
}

void TcpConnection::on_expired(Instant now) {
  const AtWork at_work(*this);
  armed_ = send_again_ = kNever;
  tell_sent();
  if (now >= look_at_window_) look_at_window();
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

void TcpConnection::on_ready(std::uint32_t events) {
  const AtWork at_work(*this);
  if (connecting_) {
    connecting_ = false;
    const int error = connect_result(socket_.get());
    // Not before: how long a host may be silent that has never answered is the consumer's affair.
    if (error == 0) tune(socket_.get(), context_.options.dead_peer_timeout);
    watch_for_what_matters();
    if (owner_ != nullptr) owner_->on_tcp_connected(error);
    settle();
    return;
  }
  tell_sent();
  // What it says last waits for its place among those that end, not behind those that continue.
  if ((events & EPOLLOUT) != 0 && std::exchange(full_, false) && session_.has_output() &&
      context_.turn.to_send() == 0 && !released_)
    context_.continue_later(*this);
  if (reading()) {
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(context_.turn.to_read());
  } else if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    // It cannot be read to its end, but it has ended.
    unwatch();
    session_.lost(context_.now());
  } else if ((events & EPOLLRDHUP) != 0) {
    end_is_behind_ = true;
    session_.end_is_behind(context_.now());
  }
  answer();
}

std::optional<bool> TcpConnection::look_unasked() {
  if (watched_ != EPOLLIN || !watching_ || connecting_ || !begun_) return std::nullopt;
  const AtWork at_work(*this);
  tell_sent();
  if (!receive(context_.turn.to_read())) return false;
  answer();
  return true;
}

// Whoever is told of it is about to answer, and the answer takes the acknowledgement along;
// otherwise it leaves with the next progress().
void TcpConnection::answer() {
  transmit(false, share());
  settle();
}

// Of the turn, for one that is not called in the order of those that wait.
std::size_t TcpConnection::share() const {
  const std::size_t left = context_.turn.to_send();
  return context_.others_wait(*this) ? std::min(left, TcpTurn::kShare) : left;
}

void TcpConnection::release(std::unique_ptr<TcpConnection> connection) {
  TcpConnection* one = connection.release(); // owned by the list from here on
  one->owner_ = nullptr;
  one->released_ = true;
  one->connecting_ = false;
  // Nobody takes it any more, and behind it is the peer's end.
  one->held_ = {};
  static_cast<UntoldHook*>(one)->unlink();
  one->context_.ending.push_back(*one);
  ++one->context_.endings;
  static_cast<PendingHook*>(one)->unlink(); // its last words are said in the order of these calls
  one->begin_leaving();
}

// The program may end as soon as it knows that the connection has. So what can leave now leaves
// before that: with the work under way, or here, where no connection is at work and nothing waits
// before it.
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
  PendingHook::unlink(); // it has no other turn
  transmit(true, TcpTurn::kAll);
  session_.hurry();
  say_the_end();
  if (!session_.has_shut_down()) return;
  throw_away_what_came();
  begun_ = false; // the kernel ends it in order
}

// Octets that nobody reads would turn an orderly end into a reset.
void TcpConnection::throw_away_what_came() {
  const NotCancellable here;
  constexpr int kMost = 64; // as much as a receive buffer holds, where a peer never stops
  for (int i = 0; i < kMost; ++i)
    if (::recv(socket_.get(), context_.staging.data(), context_.staging.size(), MSG_DONTWAIT) <= 0)
      return;
}

// --- receiving -----------------------------------------------------------------------------------

// False: there was nothing, and nothing happened.
bool TcpConnection::receive(std::size_t most) {
  bool any = false;
  const std::uint32_t exchanged = session_.exchanged();
  std::size_t left = most;
  while (reading() && watching_ && left != 0) {
    const std::size_t before = left;
    const bool more = receive_once(left);
    any = any || left != before || !reading() || !watching_;
    if (!more) break;
  }
  if (any) {
    ++context_.turns; // whoever is told of it now and posts again answers, and gathers nothing
    context_.in_batches = session_.exchanged() - exchanged >= kBatch || most - left >= kBulk;
  }
  return any;
}

// One piece by the call that takes no list: two per cent of what a short message costs.
ssize_t TcpConnection::receive_into(std::span<const iovec> pieces) {
  if (pieces.size() == 1)
    return ::recv(socket_.get(), pieces[0].iov_base, pieces[0].iov_len, MSG_DONTWAIT);
  return ::readv(socket_.get(), pieces.data(), static_cast<int>(pieces.size()));
}

// False: there is no more now.
bool TcpConnection::receive_once(std::size_t& left) {
  auto& places = context_.places;
  std::array<iovec, TcpContext::kPieces + 1> pieces;
  // Large messages come one after the other: where the last was large, so is the next.
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
  const ssize_t got = receive_into({pieces.data(), count + 1});
  if (got < 0) {
    if (errno == EINTR) return true;
    // What cannot be read for lack of memory is there at the next look, too.
    if (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS) return false;
    fail_with(errno);
    return false;
  }
  if (got == 0 && reset_) { // the error was told once, when we sent
    fail_with(error_);
    return false;
  }
  if (got == 0) {
    at_end_ = true;
    session_.end_of_stream(context_.now());
    return false;
  }
  const auto size = static_cast<std::size_t>(got);
  left -= std::min(left, size);
  const auto placed = static_cast<std::size_t>(std::min<std::uint64_t>(size, straight));
  if (placed != 0) session_.placed(placed, context_.now());
  if (size > placed && !take({context_.staging.data(), size - placed})) return false;
  return size == asked;
}

// False: nothing more is read for now.
bool TcpConnection::take(iwarp::Octets octets) {
  const std::size_t taken = session_.feed(octets, context_.now());
  if (taken == octets.size()) return true;
  const iwarp::Octets rest = octets.subspan(taken);
  try {
    held_.assign(rest.begin(), rest.end());
  } catch (const std::bad_alloc&) {
    log(LogLevel::Warn, "{}: no memory for {} octets that wait for a receive; connection broken",
        to_text(remote_name(socket_.get()).host), rest.size());
    unwatch();
    session_.lost(context_.now());
  }
  return false;
}

// --- afterwards ----------------------------------------------------------------------------------

void TcpConnection::on_request() {
  asked_ = true;
  if (owner_ != nullptr) owner_->on_asked();
}

void TcpConnection::tell_owner() {
  if (owner_ == nullptr) return;
  const bool others_first = context_.looking || !context_.untold.empty();
  if (asked_ && others_first)
    put_off();
  else if (std::exchange(asked_, false))
    owner_->on_request();
  if (owner_ != nullptr && no_reply_)
    owner_->on_no_reply(*std::exchange(no_reply_, std::nullopt), error_);
  if (owner_ != nullptr && is_over()) owner_->on_over();
}

// What damages frames is nobody's intention; the rest a consumer hears of by its completions, too.
void TcpConnection::tell_log() {
  const std::optional<iwarp::ErrorCode>& error = session_.last_error();
  if (!error || std::exchange(told_log_, true)) return;
  const LogLevel level = error->layer == iwarp::kLayerMpa ? LogLevel::Warn : LogLevel::Info;
  if (!log_enabled(level)) return;
  const SocketName peer = remote_name(socket_.get());
  try {
    log_of_peer(level,
                "connection with {} port {} over TCP: ended by {}: {} (Terminate {}/{}/{:02x}{})",
                to_text(peer.host), peer.port,
                session_.last_error_is_ours() ? "this side" : "the peer", iwarp::meaning(*error),
                error->layer, error->type, error->code, oddity(session_.odd_terminate()));
  } catch (const std::bad_alloc&) { // for the name; whatever else ends the connection goes on
    log_out_of_memory();
  }
}

void TcpConnection::say_the_end() {
  if (waits_for_its_turn() || !session_.wants_shutdown()) return;
  ::shutdown(socket_.get(), SHUT_WR);
  session_.shut_down();
}

// It was released when the work under way had sent already.
bool TcpConnection::has_more_to_say() const {
  if (!released_ || !watching_ || send_again_ != kNever) return false;
  return session_.has_output() || session_.wants_shutdown();
}

void TcpConnection::settle() {
  tell_log();
  say_the_end();
  tell_owner();
  if (is_over()) {
    cancel();
    armed_ = kNever;
    unwatch();
    if (released_) {
      context_.some_ended = true;
      touch();
    }
    return;
  }
  if (!full_ && (session_.owes_ack() || has_more_to_say())) touch();
  watch_for_what_matters();
  const Instant deadline =
      std::min({begun_ ? session_.deadline() : kNever, send_again_, look_at_window_});
  if (deadline != armed_) {
    armed_ = deadline;
    if (deadline == kNever)
      cancel();
    else
      context_.arm(*this, deadline);
  }
}

void TcpConnection::watch_for_what_matters() {
  if (!watching_ || connecting_) return;
  const std::uint32_t in = reading() ? EPOLLIN : end_to_look_for();
  const std::uint32_t wanted = in | (full_ ? EPOLLOUT : 0U);
  if (wanted == watched_) return;
  FdHandler& self = *this;
  context_.reactor.change(socket_.get(), wanted, self);
  watched_ = wanted;
}

// TCP was given something, and tells nobody that the peer does not take it.
void TcpConnection::watch_window() {
  look_at_window_ = context_.now() + window_.between_looks();
  if (armed_ <= look_at_window_) return;
  armed_ = look_at_window_;
  context_.arm(*this, armed_);
}

void TcpConnection::look_at_window() {
  look_at_window_ = kNever;
  if (!watching_) return;
  const bool anything = unacknowledged(socket_.get()) != 0;
  const TcpState state = anything ? tcp_state(socket_.get()) : TcpState{};
  if (anything) look_at_window_ = context_.now() + window_.between_looks();
  if (state.window_closed != excused_) {
    excused_ = state.window_closed;
    excuse_peer(socket_.get(), excused_, context_.options.dead_peer_timeout);
  }
  if (!excused_)
    window_.open();
  else if (window_.is_dead(state, context_.now()))
    fail_with(ETIMEDOUT);
}

bool TcpConnection::waits_for_receive(bool oldest_is_message) {
  if (!held_.empty()) return true;
  const TcpState state = tcp_state(socket_.get());
  const bool moved = std::exchange(arrived_then_, state.acknowledged) != state.acknowledged;
  const bool all = !session_.has_output() && unacknowledged(socket_.get()) == 0;
  return oldest_is_message && session_.peer_is_known() && !moved && (all || state.window_closed);
}

void TcpConnection::unwatch() {
  if (!watching_) return;
  FdHandler& self = *this;
  context_.reactor.remove(socket_.get(), self);
  watching_ = false;
}

void TcpConnection::fail_with(int error) {
  error_ = error;
  unwatch();
  session_.lost(context_.now());
}

// --- SessionEvents -------------------------------------------------------------------------------

bool TcpConnection::on_no_reply(iwarp::NoReply why) {
  if (owner_ == nullptr) return false;
  no_reply_ = why;
  return true;
}

void TcpConnection::on_reply() {
  if (owner_ != nullptr) owner_->on_reply();
}

bool TcpConnection::has_arrived(std::uint64_t octets) const {
  return tcp_state(socket_.get()).acknowledged >= octets;
}

bool TcpConnection::all_has_arrived() const {
  return unacknowledged(socket_.get()) == 0;
}

void TcpConnection::on_end(ChannelEvents& events, CloseReason reason) {
  untold_ = &events;
  reason_ = reason;
  put_off();
}

// --- what waits until others are told ------------------------------------------------------------

void TcpConnection::put_off() {
  if (UntoldHook::linked()) return;
  found_in_ = context_.looks;
  context_.tell_later(*this);
}

void TcpConnection::tell_late() {
  if (untold_ != nullptr)
    untold_->on_closed(reason_);
  else if (owner_ != nullptr && std::exchange(asked_, false))
    owner_->on_request();
}

} // namespace datum
