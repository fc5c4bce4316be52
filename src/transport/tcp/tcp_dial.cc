// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_dial.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/log.h"
#include "base/refused_calls.h"

namespace datum {
namespace {

// After this time the next port is tried, too. At the port of a Datum peer, at least TCP nearly
// always answers sooner. A peer that does not reply for longer may be another program, or may wait
// for its consumer.
constexpr Duration kLongestTurn = kSecond;
constexpr Duration kRestWithoutDescriptors = 100 * kMillisecond;

// TCP had no answer for a while. The dial goes on as long as the consumer waits (decision 108).
constexpr int kSilence = ETIMEDOUT;

// True: this host or the network says that the peer is out of reach. Silence says nothing (decision
// 108).
bool is_unreachable(int error) {
  switch (error) {
  case ENETUNREACH:
  case EHOSTUNREACH:
  case ENETDOWN:
  case EHOSTDOWN:
  case EADDRNOTAVAIL:
  case EACCES:
  case EPERM:
  case ENOSYS: // from a filter of system calls
  case EINVAL: return true;
  default: return false;
  }
}

bool is_shortage(Shortage found) {
  return found.lack != Lack::Other;
}

// True: ending a connection frees the resource that is short. A local port is not freed, since the
// kernel keeps it until it has finished the connection.
bool is_freed_by_an_end(Shortage found) {
  return is_shortage(found) && found.lack != Lack::LocalPorts;
}

ConnectFailure failure_of(int error) {
  if (is_unreachable(error)) return ConnectFailure::Unreachable;
  return error == ECONNREFUSED ? ConnectFailure::NobodyListens : ConnectFailure::NonPeerRejected;
}

// In reverse order, so that the next port is at the back.
std::vector<std::uint16_t> ports_of(ConnQual qualifier, PortRange range) {
  if (is_port(qualifier)) return {static_cast<std::uint16_t>(qualifier)};
  std::vector<std::uint16_t> ports;
  for (const std::uint16_t port : candidate_ports(qualifier, range))
    if (std::find(ports.begin(), ports.end(), port) == ports.end()) ports.push_back(port);
  std::reverse(ports.begin(), ports.end());
  return ports;
}

// How long a port may be silent before the next one is tried. All ports but the last one share the
// first half of the consumer's timeout. The last one has the second half.
Duration share(Duration time, std::size_t ports) {
  const auto others = static_cast<Duration>(std::max<std::size_t>(ports - 1, 1));
  return std::min(time / 2 / others, kLongestTurn);
}

// " (seccomp refuses the system call connect)", or nothing where no filter refuses a call with this
// errno.
std::string refused_call(int error) {
  for (const SystemCall call : {SystemCall::Connect, SystemCall::Socket, SystemCall::Bind})
    if (refusal_of(call) == error)
      return text(" (seccomp refuses the system call {})", name_of(call));
  return {};
}

constexpr Status kNoResources{Type::InsufficientResources, Detail::ResourceDevice};

} // namespace

TcpDial::TcpDial(TcpContext& context, const DialTarget& target, ChannelEvents& events,
                 TcpDialer& dialer)
    : context_(context), events_(events), dialer_(dialer), host_(target.host),
      same_host_(is_within_host(context.scope(), host_)), qualifier_(target.qualifier),
      wishes_(target.wishes), preferred_(target.preferred),
      ports_(ports_of(qualifier_, context.options.ports.value_or(kMappedPorts))),
      patience_(share(target.deadline - context.now(), ports_.size())) {
  if (!has_one_port()) {
    data_.resize(QualifierPrefix::kWireSize);
    encode_prefix(qualifier_, data_.data());
  }
  data_.insert(data_.end(), target.data.begin(), target.data.end());
}

Status TcpDial::begin() {
  const Status status = try_next();
  if (status.ok()) arm();
  return status;
}

// --- the attempts --------------------------------------------------------------------------------

// Earlier attempts go on: a Datum peer is silent until its consumer has decided, so a silent peer
// may still reply.
Status TcpDial::try_next() {
  Attempt& next = attempts_.emplace_back(*this, ports_.back());
  const Shortage found = next.begin();
  const bool begun = found.error == 0;
  if (!begun) attempts_.pop_back();
  if (is_shortage(found)) return kNoResources;
  if (!begun) note(ports_.back(), found.error);
  ports_.pop_back();
  next_try_ = context_.now() + (begun ? patience_ : 0);
  return kOk;
}

Status TcpDial::retry() {
  for (auto each = attempts_.begin(); each != attempts_.end();) {
    const auto it = each++;
    if (it->is_under_way()) continue;
    const Shortage found = it->begin();
    if (is_shortage(found)) return kNoResources;
    if (found.error == 0) continue;
    note(it->port(), found.error);
    attempts_.erase(it);
    next_try_ = context_.now();
  }
  return kOk;
}

// Throws nothing, since a timer calls it.
Status TcpDial::go_on(Instant now) {
  if (const Status status = retry(); !status.ok()) return status;
  if (ports_.empty() || (!attempts_.empty() && now < next_try_)) return kOk;
  try {
    return try_next();
  } catch (const std::bad_alloc&) { // for the list of attempts
    tell(kNoMemory);
    return kNoResources;
  }
}

void TcpDial::on_expired(Instant now) {
  const Status status = go_on(now);
  if (attempts_.empty() && ports_.empty()) {
    // If a request was sent, a consumer may have got it, and must not get it again. So the failure
    // must not be NobodyListens, which makes the core try again.
    if (*failure_ == ConnectFailure::Unreachable) tell_unreachable();
    const bool final = has_spoken_ && *failure_ == ConnectFailure::NobodyListens;
    dialer_.on_dial_failed(final ? ConnectFailure::NonPeerRejected : *failure_); // destroys this
    return;
  }
  if (status.ok())
    arm();
  else // descriptors or ports may be free again before the consumer's time is over
    context_.arm(*this, now + kRestWithoutDescriptors);
}

void TcpDial::tell(Shortage shortage) {
  if (shortage.lack == Lack::LocalPorts)
    context_.connect_shortage.tell(shortage, context_.now(), [&] {
      return text("{}: no connection to {} can be made", context_.name, to_text(host_));
    });
  else
    context_.connect_shortage.tell(shortage, context_.now(), "{}: no connection can be made",
                                   context_.name);
}

// Logs what the consumer cannot see: the connect event is the same as for a port without a
// listener. Called only for a qualifier that is a port. At the candidate ports of a mapped
// qualifier, other programs are to be expected.
void TcpDial::tell_foreign(std::uint16_t port) {
  try {
    if (context_.connect_shortage.may_tell(Lack::Other, context_.now()))
      log(LogLevel::Warn,
          "connecting to {} port {} over TCP: what listens there speaks another protocol than "
          "iWARP; is the port right?",
          to_text(host_), port);
  } catch (const std::bad_alloc&) { // for the address
    log_out_of_memory();
  }
}

// Called once for each connect. A refusal by this host and the lack of a network are warnings.
// Their rate is limited like that of warnings about a shortage.
void TcpDial::tell_unreachable() {
  try {
    const bool refused = is_refusal_of_call(why_unreachable_);
    const bool alone = !refused && has_no_network();
    const LogLevel level = refused || alone ? LogLevel::Warn : LogLevel::Info;
    if (!log_enabled(level)) return;
    if (level == LogLevel::Warn && !context_.connect_shortage.may_tell(Lack::Other, context_.now()))
      return;
    const std::string host = to_text(host_);
    log(level, "connecting to {} port {} over TCP: {}{}", host, unreachable_,
        std::strerror(why_unreachable_),
        refused ? "; a firewall, a route or a security policy of this host refuses it" +
                      refused_call(why_unreachable_)
        : alone ? text("; {}, see `ip address`", kNoNetwork)
                : text("; `ip route get {}` shows the way there", host));
  } catch (const std::bad_alloc&) { // for the address
    log_out_of_memory();
  }
}

void TcpDial::arm() {
  const bool all_have_been_asked = ports_.empty() && !attempts_.empty();
  if (!all_have_been_asked) context_.arm(*this, next_try_);
}

// --- the end of an attempt -----------------------------------------------------------------------

// Keeps one failure for all ports. Any answer from another port replaces Unreachable. NobodyListens
// replaces every other failure, since a Datum peer may still begin to listen at the free port.
void TcpDial::note(std::uint16_t port, int error) {
  const ConnectFailure failure = failure_of(error);
  if (failure == ConnectFailure::Unreachable) {
    unreachable_ = port;
    why_unreachable_ = error;
  }
  const bool stands = failure_ && (failure == ConnectFailure::Unreachable ||
                                   *failure_ == ConnectFailure::NobodyListens);
  if (!stands) failure_ = failure;
}

// The caller is a connection, within which the dial must not be destroyed. So the timer reports the
// failure or tries the next port, later.
void TcpDial::give_up(const Attempt& attempt, int error) {
  note(attempt.port(), error);
  attempts_.remove_if([&](const Attempt& each) { return &each == &attempt; });
  next_try_ = context_.now();
  context_.arm(*this, next_try_);
}

void TcpDial::end_with(Attempt& attempt) {
  std::unique_ptr<TcpConnection> connection = attempt.take();
  connection->set_owner(nullptr);
  dialer_.on_reply(std::move(connection)); // destroys this, and hangs up on the others
}

// If a request was sent to some port, the dial must not begin again.
bool TcpDial::should_ask_again() const {
  return preferred_ != nullptr && !has_spoken_ && preferred_->is_there(host_, qualifier_);
}

// --- one port ------------------------------------------------------------------------------------

Shortage TcpDial::Attempt::begin() {
  try {
    return begin_now();
  } catch (const std::bad_alloc&) {
    dial_.tell(kNoMemory);
    hang_up();
    return kNoMemory;
  }
}

Shortage TcpDial::Attempt::start(GuardedFd& socket) {
  const TcpContext& context = dial_.context_;
  return start_connect(dial_.host_, port_, context.scope(),
                       dial_.same_host_ ? &context.congestion : nullptr, socket);
}

Shortage TcpDial::Attempt::begin_now() {
  TcpContext& context = dial_.context_;
  GuardedFd socket;
  Shortage found = start(socket);
  if (is_freed_by_an_end(found) && context.give_up_oldest()) found = start(socket);
  if (is_shortage(found)) dial_.tell(found);
  if (found.error != 0) return found;
  dial_.local_port_ = local_name(socket.get()).port;
  connection_ = std::make_unique<TcpConnection>(context, std::move(socket), dial_.same_host_);
  if (connection_->expect_connection(*this).ok()) return {};
  hang_up();
  return kNoMemory; // the reactor has logged what it lacks
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
    begin_again(); // TCP has given up, but the consumer may still wait
    return;
  }
  if (error != 0) {
    dial_.give_up(*this, error); // destroys this
    return;
  }
  if (dial_.should_ask_again()) {
    dial_.give_up(*this, ECONNREFUSED); // destroys this
    return;
  }
  dial_.has_spoken_ = true;
  iwarp::Wishes wishes = dial_.wishes_;
  wishes.revision = revision_;
  wishes.for_own_kind = !dial_.has_one_port();
  connection_->measure();
  connection_->session().connect(dial_.data_, wishes, dial_.events_, dial_.context_.now());
  connection_->touch();
}

void TcpDial::Attempt::on_no_reply(iwarp::NoReply why, int error) {
  const bool no_word = why == iwarp::NoReply::Nothing && !is_unreachable(error);
  const bool may_be_old = no_word && dial_.has_one_port() && revision_ == kRevision;
  // If the request was lost, the end of the connection tells nothing about the peer.
  if (error == kSilence || (no_word && connection_->request_was_lost())) {
    begin_again();
  } else if (may_be_old) {
    revision_ = kOldRevision;
    begin_again();
  } else {
    if (dial_.has_one_port() && why == iwarp::NoReply::Foreign)
      dial_.tell_foreign(port_);
    else if (!dial_.has_one_port())
      log(LogLevel::Debug, "connecting to {} qualifier {}: nobody for it at port {}",
          to_text(dial_.host_), dial_.qualifier_, port_);
    dial_.give_up(*this, error); // destroys this
  }
}

} // namespace datum
