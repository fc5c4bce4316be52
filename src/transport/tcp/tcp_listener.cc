// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_listener.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/refused_calls.h"
#include "base/shortage.h"
#include "transport/host/listen_error.h"
#include "transport/host/port_rules.h"
#include "transport/host/qualifier_holder.h"
#include "transport/tcp/tcp_incoming.h"
#include "transport/tcp/tcp_state.h"

namespace datum {
namespace {

constexpr int kAcceptsAtOnce = 32;
// A peer sends its request as soon as TCP is connected. The request comes within this time, even if
// TCP has to send it again.
constexpr Duration kTimeForARequest = kSecond;
// If many peers connect at once, their busy processes send the requests late, and TCP sends a lost
// request again after 200 ms. A connection without a request after this time gives way to the
// connections in the backlog.
constexpr Duration kTimeToSpeak = 300 * kMillisecond;
constexpr int kNoError = 0;

ListenPlace place_of(const TcpContext& context, std::optional<ConnQual> qualifier) {
  return {context.scope(), qualifier};
}

// Returns 0 or an errno. If two processes want the same mapped qualifier, the second must fail
// instead of taking the next candidate port, even if one of them wants the qualifier at every
// address (CONN.26). Ports cannot prevent that, so names do.
int take_names(TcpContext& context, ConnQual qualifier, TcpNames& out) {
  const auto host = context.scope();
  if (!context.options.only_way)
    return name_qualifier(kMappedNames, host, qualifier, out.claim.name); // see PathTransport
  if (const int error = reserve_rendezvous(host, qualifier, out.rendezvous); error != kNoError)
    return error;
  return claim_qualifier(kMappedNames, host, qualifier, out.claim);
}

tl::unexpected<Status> failure(TcpContext& context, std::optional<ConnQual> qualifier,
                               const ListenError& error) {
  return listen_failure(context.listen_shortage, context.now(), place_of(context, qualifier),
                        error);
}

// If the IA also has shared memory, PathTransport logs the missing privilege for a port.
tl::unexpected<Status> lacks_privilege(const TcpContext& context, std::optional<ConnQual> qualifier,
                                       long start) {
  const bool one = qualifier && is_port(*qualifier);
  if (context.options.only_way || !one)
    log(LogLevel::Warn, "listening at {}: {} {}; choose one from {} on, which that is here",
        to_text(place_of(context, qualifier)), one ? "that port" : "each port", kLacksPrivilege,
        start);
  return fail(Type::ConnQualUnavailable);
}

// Searches for a port that the consumer did not name. The search goes on if a port is in use, or
// refused by a policy.
class PortSearch {
 public:
  explicit PortSearch(TcpContext& context) : context_(context) {}

  // True: the search is over, with a port or with an error that other ports would have as well.
  bool among(PortRange range);
  bool in_order(const Candidates& ports);
  // False: the kernel gave a port of kMappedPorts, which is left to mapped qualifiers. The search
  // goes on.
  bool among_what_the_kernel_gives();
  // 0 or errno. EADDRINUSE if some ports were refused and some were in use.
  int error() const { return is_refusal(error_) && in_use_ ? EADDRINUSE : error_; }
  bool some_refused() const { return refusal_ != kNoError; }
  // 0 or the errno to report. If some ports are refused and others in use, the refusal is reported,
  // since programs do not expect it.
  int cause() const { return error() == EADDRINUSE && some_refused() ? refusal_ : error(); }
  // The refused port; 0: the search tried several.
  std::uint16_t refused() const { return tries_ == 1 ? last_ : std::uint16_t{0}; }
  std::uint16_t last() const { return last_; }
  // The port that was found. Only one that the kernel gave has to be asked for: a filter of system
  // calls may refuse getsockname(2).
  ListenResult<std::uint16_t> port() const {
    return last_ != 0 ? ListenResult<std::uint16_t>(last_) : bound_port(socket_.get());
  }
  GuardedFd take() { return std::move(socket_); }

 private:
  bool with(std::uint16_t port);
  TcpContext& context_;
  GuardedFd socket_;
  int error_ = EADDRINUSE;
  std::uint16_t last_ = 0;
  std::uint32_t tries_ = 0;
  bool in_use_ = false;
  int refusal_ = kNoError; // of the last port that was refused
};

bool PortSearch::with(std::uint16_t port) {
  last_ = port;
  ++tries_;
  error_ = open_listener(context_.scope(), port, context_.congestion, socket_);
  const bool refused = is_refusal(error_);
  in_use_ = in_use_ || error_ == EADDRINUSE;
  if (refused) refusal_ = error_;
  return error_ != EADDRINUSE && (!refused || refused_listen_call(error_) != nullptr);
}

bool PortSearch::in_order(const Candidates& ports) {
  return std::any_of(ports.begin(), ports.end(), [this](std::uint16_t port) { return with(port); });
}

bool PortSearch::among(PortRange range) {
  if (range.low > range.high) return false;
  const std::uint32_t count = std::uint32_t{range.high} - range.low + 1;
  // The search begins at a random port. So processes that start together do not try the same ports.
  const auto start = static_cast<std::uint32_t>(context_.lent.random->next() % count);
  for (std::uint32_t i = 0; i < count; ++i)
    if (with(static_cast<std::uint16_t>(range.low + (start + i) % count))) return true;
  return false;
}

bool PortSearch::among_what_the_kernel_gives() {
  if (!with(0)) return true; // the kernel has tried all ports
  if (error_ != kNoError) return true;
  const auto port = bound_port(socket_.get());
  if (!port || !kMappedPorts.has(*port)) return true;
  socket_ = GuardedFd();
  error_ = EADDRINUSE;
  in_use_ = true;
  return false;
}

tl::unexpected<Status> search_failure(TcpContext& context, std::optional<ConnQual> qualifier,
                                      const PortSearch& search) {
  if (search.cause() == EACCES)
    if (const long start = unprivileged_port_start(); search.last() != 0 && search.last() < start)
      return lacks_privilege(context, qualifier, start);
  return failure(context, qualifier, port_error(search.cause(), search.refused()));
}

void look_everywhere(PortSearch& search) {
  if (search.among(any_port_range()) || search.among_what_the_kernel_gives()) return;
  for (const PortRange range : ephemeral_ports_beside_mapped())
    if (search.among(range)) return;
}

} // namespace

Result<std::unique_ptr<Listener>> TcpListener::open(TcpContext& context, ConnQual qualifier,
                                                    ListenerEvents& events) {
  if (!is_port(qualifier)) return open_mapped(context, qualifier, events);
  GuardedFd socket;
  const int error = open_listener(context.scope(), static_cast<std::uint16_t>(qualifier),
                                  context.congestion, socket);
  if (error == EACCES)
    if (const long start = unprivileged_port_start(); static_cast<long>(qualifier) < start)
      return lacks_privilege(context, qualifier, start);
  if (error != kNoError)
    return failure(context, qualifier, port_error(error, static_cast<std::uint16_t>(qualifier)));
  return finish(context, qualifier, TcpNames(), std::move(socket), events);
}

Result<std::unique_ptr<Listener>> TcpListener::open_mapped(TcpContext& context, ConnQual qualifier,
                                                           ListenerEvents& events) {
  TcpNames names;
  const int taken = take_names(context, qualifier, names);
  if (taken != kNoError) {
    names = {}; // names_failure() must not find this process as the holder
    const NamesWanted wanted = context.options.only_way ? NamesWanted::All : NamesWanted::Mapped;
    return names_failure(context.listen_shortage, context.told_holders, context.now(),
                         place_of(context, qualifier), taken, wanted, kNoPortDecides);
  }
  const PortRange range = context.options.ports.value_or(kMappedPorts);
  PortSearch search(context);
  search.in_order(candidate_ports(qualifier, range));
  const int error = search.error();
  if (error == kNoError) return finish(context, qualifier, std::move(names), search.take(), events);
  if (error != EADDRINUSE) return search_failure(context, qualifier, search);
  log(LogLevel::Warn, "listening at {}: all its candidate ports from {} to {} are used{}",
      to_text(place_of(context, qualifier)), range.low, range.high,
      search.some_refused() ? ", or not permitted" : "");
  return fail(Type::ConnQualInUse);
}

Result<std::unique_ptr<Listener>> TcpListener::open_any(TcpContext& context,
                                                        ListenerEvents& events) {
  PortSearch search(context);
  if (const auto& wanted = context.options.ports)
    search.among(*wanted);
  else
    look_everywhere(search);
  const int error = search.cause();
  if (error == EADDRINUSE) return fail(Type::ConnQualUnavailable);
  if (error != kNoError) return search_failure(context, std::nullopt, search);
  const auto port = search.port();
  if (!port) return failure(context, std::nullopt, port.error());
  return finish(context, *port, TcpNames(), search.take(), events);
}

Result<std::unique_ptr<Listener>> TcpListener::finish(TcpContext& context, ConnQual qualifier,
                                                      TcpNames names, GuardedFd socket,
                                                      ListenerEvents& events) {
  std::unique_ptr<TcpListener> listener(
      new TcpListener(context, qualifier, std::move(names), std::move(socket), events));
  if (const Status status = listener->socket_.begin(); !status.ok()) return fail(status);
  return listener;
}

TcpListener::TcpListener(TcpContext& context, ConnQual qualifier, TcpNames names, GuardedFd socket,
                         ListenerEvents& events)
    : context_(context), qualifier_(qualifier), events_(events), names_(std::move(names)),
      socket_(context.reactor, context.lent, std::move(socket), *this, kAcceptsAtOnce) {
  context_.listeners.push_back(*this);
}

// --- accepting -----------------------------------------------------------------------------------

void TcpListener::warn_not_accepted(int error) {
  if (std::exchange(warned_, true)) return;
  log(LogLevel::Warn, "{}: nobody can be accepted: {}", to_text(place_of(context_, qualifier_)),
      std::strerror(error));
}

bool TcpListener::on_lack(int error) {
  if (!is_lack_of_resources(error)) {
    warn_not_accepted(error);
    return false;
  }
  if (context_.give_up_oldest() || give_up_stranger()) return true; // its descriptor is free now
  context_.accept_shortage.tell(shortage_of(error), context_.now(),
                                "{}: no connection can be accepted", context_.name);
  return false;
}

void TcpListener::on_closed(int error) {
  log(LogLevel::Warn, "{}: nobody is accepted any more: {} refuses epoll_ctl: {}; permit it",
      to_text(place_of(context_, qualifier_)), kSandbox, std::strerror(error));
}

const TcpListener::HalfOpenConnection* TcpListener::oldest_stranger() const {
  const auto found =
      std::find_if(half_open_.begin(), half_open_.end(),
                   [](const HalfOpenConnection& each) { return each.is_stranger(); });
  return found == half_open_.end() ? nullptr : &*found;
}

// How long a stranger may hold its place. The more connections wait in the backlog, the shorter
// this time is, so that all of them are accepted within kTimeToSpeak. A connection that has waited
// long in the backlog has already sent its request, and is a stranger only until the request is
// read.
Duration TcpListener::time_to_speak() const {
  const auto places = static_cast<Duration>(context_.options.max_half_open);
  return kTimeToSpeak * places / std::max<Duration>(places, backlog_of(socket_.get()));
}

// The stranger that was accepted first has the least to lose, so it makes room. It may stay until
// its time to speak is over.
std::optional<Instant> TcpListener::full() {
  outdated_ = nullptr;
  if (half_open_.size() < context_.options.max_half_open) return std::nullopt;
  if (!time_) time_ = time_to_speak();
  const HalfOpenConnection* oldest = oldest_stranger();
  const Instant since = oldest != nullptr ? oldest->since() : context_.now();
  if (oldest == nullptr || context_.now() - since < *time_) return since + *time_;
  outdated_ = oldest;
  return std::nullopt;
}

// Drops the oldest stranger of all listeners, since they share the descriptors of the process.
// False: no stranger is older than kTimeForARequest. The request of a younger stranger may be on
// its way. If younger strangers gave way, then among many of them each would drive out the one
// before.
bool TcpListener::give_up_stranger() {
  TcpListener* host = nullptr;
  Instant oldest = context_.now() - kTimeForARequest + 1;
  context_.listeners.for_each([&](TcpListener& each) {
    const HalfOpenConnection* stranger = each.oldest_stranger();
    if (stranger == nullptr || stranger->since() >= oldest) return;
    oldest = stranger->since();
    host = &each;
  });
  if (host == nullptr) return false;
  host->drop(*host->oldest_stranger()); // moves it to `ending`
  return context_.give_up_oldest();
}

void TcpListener::welcome(GuardedFd socket, const sockaddr_storage& peer) {
  if (outdated_ != nullptr) drop(*std::exchange(outdated_, nullptr));
  const SocketName from = to_name(peer);
  const bool same_host = is_within_host(local_name(socket.get()).host, from.host);
  if (!same_host) context_.congestion.expect_network(socket.get());
  half_open_.emplace_back(*this, from,
                          std::make_unique<TcpConnection>(context_, std::move(socket), same_host));
  if (!half_open_.back().begin().ok()) half_open_.pop_back();
}

void TcpListener::drop(const HalfOpenConnection& one) {
  half_open_.remove_if([&](const HalfOpenConnection& each) { return &each == &one; });
  socket_.room_was_made();
}

void TcpListener::HalfOpenConnection::on(HalfOpenEvent event) {
  const std::optional<HalfOpenState> next = next_in(kHalfOpenTable, state_, event);
  assert(next);
  if (next) state_ = *next;
}

TcpListener::HalfOpenConnection::~HalfOpenConnection() {
  if (state_ == HalfOpenState::Over) return;
  connection_->session().close(CloseMode::Abort, listener_.context_.now());
  TcpConnection::release(std::move(connection_));
}

void TcpListener::HalfOpenConnection::refuse(iwarp::Refusal why) {
  on(HalfOpenEvent::Leave);
  connection_->session().refuse(why, listener_.context_.now());
  TcpConnection::release(std::move(connection_));
}

// Destroys this object at its end.
void TcpListener::HalfOpenConnection::on_request() {
  TcpListener& listener = listener_;
  const bool mapped = !is_port(listener.qualifier_);
  const auto data = connection_->session().private_data();
  // A port that is a qualifier itself may also be a candidate port of a mapped qualifier.
  const bool here = mapped ? has_prefix(data, listener.qualifier_) : !has_prefix(data);
  if (!here) {
    refuse(iwarp::Refusal::NotHere);
    listener.drop(*this);
    return;
  }
  std::unique_ptr<IncomingConnection> incoming;
  try {
    incoming = std::make_unique<TcpIncoming>(listener.context_, std::move(connection_), peer_,
                                             mapped ? QualifierPrefix::kWireSize : 0);
    on(HalfOpenEvent::Leave);
  } catch (const std::bad_alloc&) {
    // The consumer does not know of the request. It is refused, since a peer without an answer
    // would ask again.
    refuse(iwarp::Refusal::NotAccepted);
  }
  listener.drop(*this);
  if (incoming) listener.events_.on_request(std::move(incoming));
}

} // namespace datum
