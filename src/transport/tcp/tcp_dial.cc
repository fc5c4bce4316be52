// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_dial.h"

#include <algorithm>
#include <cerrno>
#include <new>

#include "base/log.h"

namespace datum {
namespace {

// Where our peer listens its first port nearly always answers, if only TCP does: whoever is silent
// for longer may be somebody else, or wait for its consumer.
constexpr Duration kLongestTurn = kSecond;
constexpr Duration kRestWithoutDescriptors = 100 * kMillisecond;

// TCP had no answer for a while. That is no failure as long as the consumer waits (C-08).
constexpr int kSilence = ETIMEDOUT;

// What the network says, not what it does not say (C-08).
bool is_unreachable(int error) {
  switch (error) {
  case ENETUNREACH:
  case EHOSTUNREACH:
  case ENETDOWN:
  case EHOSTDOWN:
  case EADDRNOTAVAIL:
  case EACCES:
  case EPERM:
  case EINVAL: return true;
  default: return false;
  }
}

ConnectFailure failure_of(int error) {
  if (is_unreachable(error)) return ConnectFailure::Unreachable;
  return error == ECONNREFUSED ? ConnectFailure::NobodyListens : ConnectFailure::NonPeerRejected;
}

// Last first.
std::vector<std::uint16_t> ports_of(ConnQual qualifier, PortRange range) {
  if (is_port(qualifier)) return {static_cast<std::uint16_t>(qualifier)};
  std::vector<std::uint16_t> ports;
  for (const std::uint16_t port : candidate_ports(qualifier, range))
    if (std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
  std::reverse(ports.begin(), ports.end());
  return ports;
}

// All but the last share the first half of the consumer's time: the last one is left as much.
Duration share(Duration time, std::size_t ports) {
  const auto others = static_cast<Duration>(std::max<std::size_t>(ports - 1, 1));
  return std::min(time / 2 / others, kLongestTurn);
}

constexpr Status kNoResources{Type::InsufficientResources, Detail::ResourceDevice};

} // namespace

TcpDial::TcpDial(TcpContext& context, const Question& question, ChannelEvents& events,
                 TcpDialer& dialer)
    : context_(context), events_(events), dialer_(dialer), host_(question.host),
      qualifier_(question.qualifier), wishes_(question.wishes),
      ports_(ports_of(qualifier_, context.options.ports.value_or(kMappedPorts))),
      turn_(share(question.deadline - context.now(), ports_.size())) {
  if (!has_one_port()) {
    data_.resize(QualifierPrefix::kWireSize);
    encode_prefix(qualifier_, data_.data());
  }
  data_.insert(data_.end(), question.data.begin(), question.data.end());
}

Status TcpDial::begin() {
  const Status status = ask_next();
  if (status.ok()) arm();
  return status;
}

// --- whose turn it is ----------------------------------------------------------------------------

// Those that were asked before may still reply: our peer is silent until its consumer has decided,
// so nobody is given up for another one.
Status TcpDial::ask_next() {
  Attempt& next = asked_.emplace_back(*this, ports_.back());
  const int error = next.begin();
  if (error != 0) asked_.pop_back();
  if (is_lack_of_resources(error)) return kNoResources;
  ports_.pop_back();
  if (error != 0) note(failure_of(error));
  next_turn_ = context_.now() + (error == 0 ? turn_ : 0);
  return kOk;
}

Status TcpDial::ask_again() {
  for (auto each = asked_.begin(); each != asked_.end();) {
    const auto it = each++;
    if (it->is_under_way()) continue;
    const int error = it->begin();
    if (is_lack_of_resources(error)) return kNoResources;
    if (error == 0) continue;
    asked_.erase(it);
    note(failure_of(error));
    next_turn_ = context_.now();
  }
  return kOk;
}

// Nothing may be thrown at the clock.
Status TcpDial::go_on(Instant now) {
  if (const Status status = ask_again(); !status.ok()) return status;
  if (ports_.empty() || (!asked_.empty() && now < next_turn_)) return kOk;
  try {
    return ask_next();
  } catch (const std::bad_alloc&) { // for the list of those that are asked
    tell(kNoMemory);
    return kNoResources;
  }
}

void TcpDial::on_expired(Instant now) {
  const Status status = go_on(now);
  if (asked_.empty() && ports_.empty()) {
    // Somebody has had the request and may have told its consumer, who must not hear it once more.
    const bool final = has_spoken_ && *failure_ == ConnectFailure::NobodyListens;
    dialer_.on_nobody(final ? ConnectFailure::NonPeerRejected : *failure_); // destroys this
    return;
  }
  if (status.ok())
    arm();
  else // there may be descriptors again before the consumer's time is over
    context_.arm(*this, now + kRestWithoutDescriptors);
}

void TcpDial::tell(Shortage shortage) {
  context_.connect_shortage.tell(shortage, context_.now(), "{}: no connection can be made",
                                 context_.name);
}

void TcpDial::arm() {
  const bool all_have_been_asked = ports_.empty() && !asked_.empty();
  if (!all_have_been_asked) context_.arm(*this, next_turn_);
}

// --- what became of one --------------------------------------------------------------------------

// Who was reached at one port is no matter of the network's; where a port is free our peer may
// come.
void TcpDial::note(ConnectFailure failure) {
  const bool stands = failure_ && (failure == ConnectFailure::Unreachable ||
                                   *failure_ == ConnectFailure::NobodyListens);
  if (!stands) failure_ = failure;
}

// Told later, and the next one is asked later: this comes from within a connection.
void TcpDial::give_up(const Attempt& attempt, ConnectFailure failure) {
  note(failure);
  asked_.remove_if([&](const Attempt& each) { return &each == &attempt; });
  next_turn_ = context_.now();
  context_.arm(*this, next_turn_);
}

void TcpDial::end_with(Attempt& attempt) {
  std::unique_ptr<TcpConnection> connection = attempt.take();
  connection->set_owner(nullptr);
  dialer_.on_reply(std::move(connection)); // destroys this, and hangs up on the others
}

// --- one port ------------------------------------------------------------------------------------

int TcpDial::Attempt::begin() {
  try {
    return begin_now();
  } catch (const std::bad_alloc&) {
    dial_.tell(kNoMemory);
    hang_up();
    return ENOMEM;
  }
}

int TcpDial::Attempt::begin_now() {
  TcpContext& context = dial_.context_;
  UniqueFd socket;
  int error = start_connect(dial_.host_, port_, context.scope(), context.congestion, socket);
  if (is_lack_of_resources(error) && context.give_up_oldest())
    error = start_connect(dial_.host_, port_, context.scope(), context.congestion, socket);
  if (is_lack_of_resources(error)) dial_.tell(shortage_of(error));
  if (error != 0) return error;
  const SocketName own = local_name(socket.get());
  dial_.local_port_ = own.port;
  const bool same_host = dial_.host_.is_loopback() || own.host == dial_.host_;
  if (!same_host) context.congestion.expect_network(socket.get());
  connection_ = std::make_unique<TcpConnection>(context, std::move(socket), same_host);
  if (connection_->expect_connection(*this).ok()) return 0;
  hang_up();
  return ENOMEM;
}

void TcpDial::Attempt::begin_again() {
  hang_up();
  dial_.context_.arm(dial_, dial_.context_.now());
}

void TcpDial::Attempt::hang_up() {
  if (!connection_) return;
  connection_->session().close(CloseMode::Disconnect, dial_.context_.now());
  TcpConnection::release(std::move(connection_));
}

void TcpDial::Attempt::on_tcp_connected(int error) {
  if (error == kSilence) {
    begin_again(); // TCP gives up at a time of its own, the consumer has another
    return;
  }
  if (error != 0) {
    dial_.give_up(*this, failure_of(error)); // destroys this
    return;
  }
  dial_.has_spoken_ = true;
  iwarp::Wishes wishes = dial_.wishes_;
  wishes.revision = revision_;
  connection_->measure();
  connection_->session().connect(dial_.data_, wishes, dial_.events_, dial_.context_.now());
  connection_->touch();
}

void TcpDial::Attempt::on_no_reply(iwarp::NoReply why, int error) {
  const bool no_word = why == iwarp::NoReply::Nothing && !is_unreachable(error);
  const bool may_be_old = no_word && dial_.has_one_port() && revision_ == kRevision;
  // An end says nothing of a peer that has not had the request.
  if (error == kSilence || (no_word && connection_->request_was_lost())) {
    begin_again();
  } else if (may_be_old) {
    revision_ = kOldRevision;
    begin_again();
  } else {
    if (!dial_.has_one_port())
      log(LogLevel::Debug, "connecting to {} qualifier {}: nobody for it at port {}",
          to_text(dial_.host_), dial_.qualifier_, port_);
    dial_.give_up(*this, failure_of(error)); // destroys this
  }
}

} // namespace datum
