// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/paths/path_transport.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/no_canary.h"
#include "base/text.h"
#include "transport/host/listen_error.h"
#include "transport/host/port_rules.h"
#include "transport/host/qualifier_holder.h"
#include "transport/host/unix_sockets.h"
#include "transport/shm/rendezvous.h"

namespace datum {
namespace {

// listen_any() tries another port if another process holds the rendezvous of the port that it got.
constexpr int kTriesForAny = 16;
// Another user may hold the rendezvous of every port. To find each holder takes long, so
// listen_any() gives up after this many.
constexpr int kMostHeldByOthers = 4;

// Why a connection takes TCP. nullopt: it takes shared memory.
std::optional<std::string> why_tcp(const Finding& found) {
  switch (found.what) {
  case Lookup::OtherHost: return "the peer is on another host";
  case Lookup::Nobody: return "no process of this host offers shared memory there";
  case Lookup::OtherVersion:
    return text("the process there speaks version {} of the same-host protocol, this one version "
                "{}",
                found.version, kHandshakeVersion);
  case Lookup::Stranger:
    return "the process that offers shared memory there does not own the qualifier";
  case Lookup::Unnamed:
    return "this user namespace does not know the user that offers shared memory there";
  case Lookup::BusyUnnamed:
    return "the listener for shared memory there has a full queue, and the kernel does not tell "
           "its user";
  // The kernel did not say whether the address is local, or which user may speak for it.
  case Lookup::Unknown:
    return text("the kernel does not tell whether the peer is on this host: {}",
                std::strerror(found.error));
  case Lookup::Forbidden:
    return text("this process may not look for shared memory there (AF_UNIX): {}",
                std::strerror(found.error));
  // Shared memory: the dial goes on (Found), or tries again (Busy, NoResources).
  case Lookup::Found:
  case Lookup::Busy:
  case Lookup::NoResources: break;
  }
  return std::nullopt;
}

bool needs_privilege(ConnQual qualifier) {
  return qualifier >= 1 && qualifier < first_unprivileged_port();
}

std::string way_to_this_host(const TcpTransport& tcp) {
  if (const auto refusal = refusal_of_unix_sockets())
    return text("{}; {}", tcp.way_to_this_host(), no_shared_memory(*refusal));
  const bool alone = has_no_network();
  return text("shared memory where the listener offers it{}{}",
              alone ? "; not TCP: " : ", else TCP", alone ? kNoNetwork : "");
}

} // namespace

class PathTransport::BothWays final : public Listener {
 public:
  BothWays(std::unique_ptr<Listener> tcp, std::unique_ptr<Listener> same_host)
      : tcp_(std::move(tcp)), same_host_(std::move(same_host)) {}
  ConnQual qualifier() const override { return same_host_->qualifier(); }

 private:
  std::unique_ptr<Listener> tcp_;
  // Destroyed before tcp_: while the rendezvous exists, dialling processes check that the user who
  // listens at it owns the TCP port.
  std::unique_ptr<Listener> same_host_;
};

PathTransport::PathTransport(ShmFabric& fabric, const LinkOptions& options,
                             std::unique_ptr<TcpTransport> tcp)
    : fabric_(fabric), links_(fabric, options), tcp_(std::move(tcp)), limits_(links_.limits()) {
  // The abilities of a connection must not depend on where its peer is.
  const Limits& other = tcp_->limits();
  limits_.max_message_size = std::min(limits_.max_message_size, other.max_message_size);
  limits_.max_rdma_size = std::min(limits_.max_rdma_size, other.max_rdma_size);
}

NamedAttributes PathTransport::attributes() const {
  NamedAttributes both = links_.attributes();
  const NamedAttributes more = tcp_->attributes();
  both.insert(both.end(), more.begin(), more.end());
  both.emplace_back("path.this_host", way_to_this_host(*tcp_));
  both.emplace_back("path.other_hosts", tcp_->way_to_other_hosts());
  both.emplace_back("path.reason", "DATUM_TRANSPORT=auto");
  return both;
}

void PathTransport::attach(const TransportHost& host) {
  links_.attach(host);
  tcp_->attach(host);
}

// --- listening -----------------------------------------------------------------------------------

// Called after links_.listen() has failed. False: a sandbox forbids shared memory, so TCP is the
// only way to listen, and processes of this host, too, connect over TCP.
bool PathTransport::may_offer_shared_memory() {
  const auto refusal = refusal_of_unix_sockets();
  if (!refusal) return true;
  if (!std::exchange(told_forbidden_, true))
    log(LogLevel::Warn, "shared memory is not offered, connections come over TCP alone: {}",
        to_text(*refusal));
  return false;
}

// Called before shared memory is offered. Returns how many descriptors are left, if a link would
// lack some. The peer of such a link would have to wait for them, while a connection over TCP takes
// a single descriptor. nullopt: there are enough, or the adapter has links already.
std::optional<DescriptorsLeft> PathTransport::too_few_for_a_link() const {
  if (fabric_.links() != 0) return std::nullopt;
  const DescriptorsLeft found = count_descriptors_left(kDescriptorsToListen);
  return found.left < kDescriptorsToListen ? std::optional(found) : std::nullopt;
}

Result<std::unique_ptr<Listener>>
PathTransport::without_links(const DescriptorsLeft& found,
                             Result<std::unique_ptr<Listener>> over_tcp) {
  if (over_tcp && shortage_of_links_.may_tell(Lack::Descriptors, fabric_.now()))
    log(LogLevel::Warn,
        "listening over TCP alone, without shared memory: it takes {} descriptors, and this "
        "process has {} left of {} (`ulimit -n`)",
        kDescriptorsToListen, found.left, found.limit);
  return over_tcp;
}

// Listens over shared memory first. A process that connects in between finds a rendezvous without a
// TCP port that vouches for it, and tries again. In the other order that process could get TCP
// within the host.
Result<std::unique_ptr<Listener>> PathTransport::listen(ConnQual qualifier,
                                                        ListenerEvents& events) {
  // Names decide which process has a qualifier above 65535. A port that needs a privilege may be
  // out of reach.
  const bool port_decides = qualifier <= kLargestPort && !needs_privilege(qualifier);
  if (port_decides)
    if (const auto few = too_few_for_a_link())
      return without_links(*few, tcp_->listen(qualifier, events));
  auto same_host = links_.listen(qualifier, events);
  if (!same_host) {
    if (!may_offer_shared_memory()) return tcp_->listen(qualifier, events);
    const auto holder = fabric_.take_holder();
    return holder ? listen_beside(*holder, qualifier, events) : std::move(same_host);
  }
  auto tcp = tcp_->listen(qualifier, events);
  if (tcp) return std::make_unique<BothWays>(std::move(*tcp), std::move(*same_host));
  if (tcp.error().type() != Type::ConnQualUnavailable || !needs_privilege(qualifier)) return tcp;
  log(LogLevel::Warn,
      "listening at qualifier {}: port {} {}; it is {} here; only processes of this host can "
      "connect",
      qualifier, qualifier, kLacksPrivilege, unprivileged_port_start());
  return std::make_unique<BothWays>(nullptr, std::move(*same_host));
}

// Another user holds the rendezvous of this qualifier, but the TCP port decides which process has
// the qualifier. If this process gets the port, dialling processes see that the user at the
// rendezvous does not own it, and connect over TCP.
Result<std::unique_ptr<Listener>> PathTransport::listen_beside(const QualifierHolder& holder,
                                                               ConnQual qualifier,
                                                               ListenerEvents& events) {
  auto tcp = tcp_->listen(qualifier, events);
  if (tcp) tell_over_tcp_alone(qualifier, holder);
  if (tcp || tcp.error().type() != Type::ConnQualUnavailable || !needs_privilege(qualifier))
    return tcp;
  return held_by(told_holders_, fabric_.now(), {fabric_.scope(), qualifier}, holder,
                 text("and port {} {}", qualifier, kLacksPrivilege));
}

void PathTransport::tell_over_tcp_alone(ConnQual qualifier, const QualifierHolder& holder) {
  log(LogLevel::Warn,
      "listening at {}, over TCP alone, without shared memory: {}; end that process and make the "
      "service point anew for shared memory",
      to_text(ListenPlace{fabric_.scope(), qualifier}), to_text(holder));
}

Result<std::unique_ptr<Listener>> PathTransport::listen_any(ListenerEvents& events) {
  if (const auto few = too_few_for_a_link()) return without_links(*few, tcp_->listen_any(events));
  std::unique_ptr<Listener> over_tcp_alone; // keeps its port, so the next try takes another port
  std::optional<QualifierHolder> first_holder;
  int held_by_others = 0;
  for (int i = 0; i < kTriesForAny && held_by_others < kMostHeldByOthers; ++i) {
    auto tcp = tcp_->listen_any(events);
    if (!tcp && over_tcp_alone) break;
    if (!tcp) return tcp;
    // No peer knows the port yet, so here TCP may come before shared memory.
    auto same_host = links_.listen((*tcp)->qualifier(), events);
    if (same_host) return std::make_unique<BothWays>(std::move(*tcp), std::move(*same_host));
    if (!may_offer_shared_memory()) return tcp;
    if (same_host.error().type() != Type::ConnQualInUse) return same_host;
    auto holder = fabric_.take_holder();
    if (!holder) continue;
    ++held_by_others;
    if (over_tcp_alone) continue;
    over_tcp_alone = std::move(*tcp);
    first_holder = std::move(holder);
  }
  if (over_tcp_alone) {
    tell_over_tcp_alone(over_tcp_alone->qualifier(), *first_holder);
    return over_tcp_alone;
  }
  return fail(Type::ConnQualUnavailable);
}

// --- connecting ----------------------------------------------------------------------------------

Result<std::unique_ptr<Channel>> PathTransport::connect(const Address& address, ConnQual qualifier,
                                                        PrivateData data, ChannelEvents& events,
                                                        const ChannelOptions& options) {
  const auto host = read_address(address);
  // Both transports give the same answer for an impossible address.
  if (!host || host->is_unspecified() || host->is_multicast())
    return links_.connect(address, qualifier, data, events, options);
  const Finding found = fabric_.find(*host, qualifier);
  const auto why = why_tcp(found);
  // Without a network, TCP fails alike for a peer that does not listen yet and for one that is out
  // of reach. The dial over shared memory tells the two apart. That dial also logs if the process
  // there speaks another version of the protocol.
  const bool only_dial_can_explain =
      (found.what == Lookup::Nobody || found.what == Lookup::OtherVersion) && host->is_loopback() &&
      has_no_network();
  if (!why || only_dial_can_explain)
    return links_.connect(address, qualifier, data, events, options);
  if (found.what == Lookup::OtherVersion &&
      std::exchange(told_version_, found.version) != found.version)
    log(LogLevel::Warn,
        "connection to {} qualifier {} goes over TCP, without shared memory: {}; install the same "
        "Datum for both",
        to_text(*host), qualifier, *why);
  // A process of this host may have begun to listen since find(). Listeners publish shared memory
  // before they listen over TCP. So find() sees it when TCP has connected, which may be now or
  // later, and no request has been sent by then.
  const bool may_have_come = found.what == Lookup::Nobody || found.what == Lookup::Stranger;
  auto channel = tcp_->connect(address, qualifier, data, events, options, *why,
                               may_have_come ? this : nullptr);
  if (!may_have_come || why_tcp(fabric_.find(*host, qualifier))) return channel;
  return links_.connect(address, qualifier, data, events, options);
}

bool PathTransport::is_there(const HostAddress& host, ConnQual qualifier) {
  try {
    return fabric_.is_offered(host, qualifier);
  } catch (const std::bad_alloc&) { // for names and for the log; TCP is connected already
    return false;
  }
}

// --- progress ------------------------------------------------------------------------------------

DATUM_NO_CANARY bool PathTransport::progress() {
  const bool any = links_.progress();
  if (!tcp_->has_work()) [[likely]] {
    tcp_->pass();
    return any;
  }
  return tcp_->progress() || any;
}

bool PathTransport::data_by_descriptors() const {
  return tcp_->data_by_descriptors() && fabric_.links() == 0;
}

// If this adapter has links, most polls of its sockets find nothing. So a poller may leave the
// sockets alone for kBesideLinks at least.
Duration PathTransport::descriptor_gap() const {
  const Duration sockets = tcp_->descriptor_gap();
  return fabric_.links() != 0 ? std::max(sockets, waiting::kBesideLinks) : sockets;
}

bool PathTransport::set_attention(Attention attention) {
  const bool ready = links_.set_attention(attention);
  return tcp_->set_attention(attention) || ready;
}

} // namespace datum
