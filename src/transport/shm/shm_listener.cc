// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/shm_listener.h"

#include <cerrno>

#include "base/log.h"
#include "base/refused_calls.h"
#include "transport/host/listen_error.h"
#include "transport/host/port_rules.h"
#include "transport/host/qualifier_holder.h"
#include "transport/shm/half_open.h"
#include "transport/shm/rendezvous.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

constexpr int kAcceptsAtOnce = 64;
constexpr Duration kRestWithManyHalfOpen = 5 * kMillisecond;

tl::unexpected<Status> failure(ShmContext& context, const ListenPlace& place,
                               const ListenError& error) {
  return listen_failure(context.listen_shortage, context.now(), place, error);
}

// Where a TCP port decides, the consumer can listen over TCP alone if a process of another user has
// the name. Then context.blocking_holder names that process.
tl::unexpected<Status> failure_of_names(ShmContext& context, const ListenPlace& place, int error,
                                        bool claimed) {
  const bool is_port = place.qualifier && *place.qualifier <= kLargestPort;
  const NamesWanted wanted = claimed ? NamesWanted::Rendezvous : NamesWanted::All;
  if (!context.options.ports_are_claimed || !is_port)
    return names_failure(
        context.listen_shortage, context.told_holders, context.now(), place, error, wanted,
        is_port ? "with DATUM_TRANSPORT=shm there is no way beside shared memory" : kNoPortDecides);
  if (!is_taken(error)) return failure(context, place, name_error(error));
  auto holder = find_qualifier_holder(place.host, *place.qualifier, wanted);
  if (!holder) return failure(context, place, name_error(holder.error()));
  if (*holder && (*holder)->is_own_user) return failure(context, place, name_error(error));
  // A process of another user could take and release the name again and again. So a name that has
  // no holder now is not blamed on a process of this user.
  context.blocking_holder = holder->value_or(
      QualifierHolder{rendezvous_name(place.host, *place.qualifier), std::nullopt, 0, false});
  return fail(Type::ConnQualInUse);
}

} // namespace

Result<std::unique_ptr<PublishedName>>
ShmListener::open(ShmContext& context, const std::optional<HostAddress>& host, ConnQual qualifier) {
  auto made = take(context, host, qualifier, Wanted::ThisOne);
  // If no holder was found, the process that had the name may have gone. So try once more.
  if (!made && context.blocking_holder && !context.blocking_holder->user)
    made = take(context, host, qualifier, Wanted::ThisOne);
  return made;
}

Result<std::unique_ptr<PublishedName>> ShmListener::take(ShmContext& context,
                                                         const std::optional<HostAddress>& host,
                                                         ConnQual qualifier, Wanted wanted) {
  context.blocking_holder.reset();
  if (qualifier == 0) return fail(Type::InvalidParameter);
  const ListenPlace place{host, qualifier};
  const ListenPlace asked{host, wanted == Wanted::Any ? std::nullopt : std::optional(qualifier)};
  // No port is taken here above kLargestPort, where the names decide, or beside TCP, where the TCP
  // transport takes the port.
  if (qualifier > kLargestPort || context.options.ports_are_claimed)
    return finish(context, asked, qualifier, std::nullopt);
  auto claim = PortClaim::take(host, static_cast<std::uint16_t>(qualifier));
  if (!claim) return failure(context, place, claim.error());
  if (claim->is_same_host_only())
    log(LogLevel::Warn, "listening at {}: port {} {}; only processes of this host can connect",
        to_text(place), qualifier, kLacksPrivilege);
  return finish(context, asked, qualifier, std::move(*claim));
}

Result<std::unique_ptr<PublishedName>> ShmListener::open_any(ShmContext& context,
                                                             const std::optional<HostAddress>& host,
                                                             PortRange range) {
  const std::uint32_t count = std::uint32_t{range.high} - range.low + 1;
  // From a random place on, so that processes that start together do not try the same ports.
  const auto start = static_cast<std::uint32_t>(context.host.random->next() % count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto port = static_cast<std::uint16_t>(range.low + (start + i) % count);
    auto name = take(context, host, port, Wanted::Any);
    if (name || name.error().type() != Type::ConnQualInUse) return name;
  }
  return fail(Type::ConnQualInUse);
}

Result<std::unique_ptr<PublishedName>>
ShmListener::open_given(ShmContext& context, const std::optional<HostAddress>& host) {
  auto claim = PortClaim::take(host, 0);
  if (!claim) return failure(context, {host, std::nullopt}, claim.error());
  const std::uint16_t port = claim->port();
  return finish(context, {host, std::nullopt}, port, std::move(*claim));
}

Result<std::unique_ptr<PublishedName>> ShmListener::finish(ShmContext& context,
                                                           const ListenPlace& place,
                                                           ConnQual qualifier,
                                                           std::optional<PortClaim> claim) {
  const bool claimed = claim ? !claim->is_same_host_only()
                             : context.options.ports_are_claimed && qualifier <= kLargestPort &&
                                   qualifier >= first_unprivileged_port();
  // The claim comes first. Once a socket listens at the rendezvous, diallers connect, and a failed
  // claim would hang up on them.
  QualifierClaim name;
  const int error = claimed ? 0 : claim_qualifier(kSameHostNames, place.host, qualifier, name);
  if (error != 0) return failure_of_names(context, place, error, claimed);
  auto socket = bind_rendezvous(place.host, qualifier, claimed);
  if (!socket) {
    name = {}; // else find_qualifier_holder() could find this process
    return failure_of_names(context, place, socket.error().error, claimed);
  }
  std::unique_ptr<ShmListener> listener(
      new ShmListener(context, qualifier, std::move(claim), std::move(name), std::move(*socket)));
  if (const Status status = listener->socket_.begin(); !status.ok()) return fail(status);
  return listener;
}

ShmListener::ShmListener(ShmContext& context, ConnQual qualifier, std::optional<PortClaim> claim,
                         QualifierClaim name, GuardedFd socket)
    : context_(context), qualifier_(qualifier), claim_(std::move(claim)), name_(std::move(name)),
      socket_(context.reactor, context.host, std::move(socket), *this, kAcceptsAtOnce) {}

std::optional<Instant> ShmListener::full() {
  if (context_.half_open.size() < context_.options.max_half_open) return std::nullopt;
  return context_.now() + kRestWithManyHalfOpen;
}

void ShmListener::welcome(GuardedFd accepted, const sockaddr_storage&) {
  HalfOpen::begin(context_, std::move(accepted));
}

bool ShmListener::on_lack(int error) {
  if (is_refusal_of_call(error))
    context_.warn_refused("accept4", error);
  else
    context_.warn(shortage_of(error));
  return false;
}

void ShmListener::on_closed(int error) {
  context_.warn_refused("epoll_ctl", error);
}

} // namespace datum
