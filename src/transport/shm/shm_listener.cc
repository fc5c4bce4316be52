// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/shm_listener.h"

#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/log.h"
#include "transport/inet/listen_error.h"
#include "transport/inet/port_rules.h"
#include "transport/shm/half_open.h"
#include "transport/shm/rendezvous.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

constexpr int kAcceptsAtOnce = 64;
constexpr Duration kRestWithoutDescriptors = 100 * kMillisecond;
constexpr Duration kRestWithManyHalfOpen = 5 * kMillisecond;

tl::unexpected<Status> failure(ShmContext& context, const ListenPlace& place,
                               const ListenError& error) {
  return listen_failure(context.listen_shortage, context.now(), place, error);
}

} // namespace

Result<std::unique_ptr<PublishedName>>
ShmListener::open(ShmContext& context, const std::optional<HostAddress>& host, ConnQual qualifier) {
  if (qualifier == 0) return fail(Type::InvalidParameter);
  // Ports for qualifiers beyond 16 bits are a matter of who speaks TCP; the name alone decides.
  if (qualifier > kLargestPort) return finish(context, host, qualifier, std::nullopt);
  if (context.options.ports_are_claimed) return finish(context, host, qualifier, std::nullopt);
  const ListenPlace place{host, qualifier};
  auto claim = PortClaim::take(host, static_cast<std::uint16_t>(qualifier));
  if (!claim) return failure(context, place, claim.error());
  if (claim->is_same_host_only())
    log(LogLevel::Warn, "listening at {}: port {} {}; only processes of this host can connect",
        to_text(place), qualifier, kLacksPrivilege);
  return finish(context, host, qualifier, std::move(*claim));
}

Result<std::unique_ptr<PublishedName>> ShmListener::open_any(ShmContext& context,
                                                             const std::optional<HostAddress>& host,
                                                             PortRange range) {
  const std::uint32_t count = std::uint32_t{range.high} - range.low + 1;
  // From a random place on, so that processes that start together do not try the same ports.
  const auto start = static_cast<std::uint32_t>(context.host.random->next() % count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto port = static_cast<std::uint16_t>(range.low + (start + i) % count);
    auto name = open(context, host, port);
    if (name || name.error().type() != Type::ConnQualInUse) return name;
  }
  return fail(Type::ConnQualInUse);
}

Result<std::unique_ptr<PublishedName>>
ShmListener::open_given(ShmContext& context, const std::optional<HostAddress>& host) {
  auto claim = PortClaim::take(host, 0);
  if (!claim) return failure(context, {host, std::nullopt}, claim.error());
  const std::uint16_t port = claim->port();
  return finish(context, host, port, std::move(*claim));
}

Result<std::unique_ptr<PublishedName>> ShmListener::finish(ShmContext& context,
                                                           const std::optional<HostAddress>& host,
                                                           ConnQual qualifier,
                                                           std::optional<PortClaim> claim) {
  const bool claimed = claim ? !claim->is_same_host_only()
                             : context.options.ports_are_claimed && qualifier <= kLargestPort &&
                                   qualifier >= first_unprivileged_port();
  const ListenPlace place{host, qualifier};
  // First: whoever listens at the rendezvous can be connected to, and is not to be refused then.
  QualifierClaim name;
  const int error = claimed ? 0 : claim_qualifier(kSameHostNames, host, qualifier, name);
  if (error != 0) return failure(context, place, name_error(error));
  auto socket = bind_rendezvous(host, qualifier, claimed);
  if (!socket) return failure(context, place, socket.error());
  std::unique_ptr<ShmListener> listener(
      new ShmListener(context, qualifier, std::move(claim), std::move(name), std::move(*socket)));
  FdHandler& handler = *listener;
  const Status status = context.reactor.add(listener->socket_.get(), EPOLLIN, handler);
  if (!status.ok()) return fail(status);
  listener->watching_ = true;
  return listener;
}

ShmListener::ShmListener(ShmContext& context, ConnQual qualifier, std::optional<PortClaim> claim,
                         QualifierClaim name, GuardedFd socket)
    : context_(context), qualifier_(qualifier), claim_(std::move(claim)), name_(std::move(name)),
      socket_(std::move(socket)) {}

ShmListener::~ShmListener() {
  FdHandler& self = *this;
  if (watching_) context_.reactor.remove(socket_.get(), self);
}

void ShmListener::rest(Duration pause) {
  FdHandler& self = *this;
  context_.reactor.change(socket_.get(), 0, self);
  Timer& timer = *this;
  context_.arm(timer, pause);
}

void ShmListener::on_expired(Instant) {
  FdHandler& self = *this;
  context_.reactor.change(socket_.get(), EPOLLIN, self);
}

void ShmListener::on_ready(std::uint32_t) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (context_.half_open.size() >= context_.options.max_half_open)
      return rest(kRestWithManyHalfOpen);
    UniqueFd accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (accepted) {
      HalfOpen::begin(context_, std::move(accepted));
      continue;
    }
    if (errno == ECONNABORTED || errno == EINTR) continue;
    if (errno != EAGAIN) {
      context_.warn(shortage_of(errno));
      rest(kRestWithoutDescriptors);
    }
    return;
  }
}

} // namespace datum
