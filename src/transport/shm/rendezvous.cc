// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/rendezvous.h"

#include <cerrno>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/log.h"
#include "transport/inet/abstract_name.h"
#include "transport/inet/port_rules.h"
#include "transport/shm/listener_owner.h"
#include "transport/shm/message_socket.h"

namespace datum {
namespace {

constexpr int kBacklog = 4096; // cut to net.core.somaxconn by the kernel
// Of the names: "datum", and the version of what is said behind them.
constexpr std::string_view kFamily = "datum/1";

UniqueFd seqpacket_socket() {
  return UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// 0 or errno.
int bind_rendezvous_to(const std::optional<HostAddress>& host, ConnQual qualifier,
                       bool port_claimed, UniqueFd& out) {
  UniqueFd socket = seqpacket_socket();
  if (!socket) return errno;
  const std::string name = abstract_name(kFamily, host, qualifier);
  if (const int error = take_name(socket.get(), name); error != 0) return error;
  if (!port_claimed)
    if (const int error = look_for_conflict(kFamily, host, qualifier); error != 0) return error;
  if (::listen(socket.get(), kBacklog) != 0) return errno;
  out = std::move(socket);
  return 0;
}

} // namespace

std::string rendezvous_name(const std::optional<HostAddress>& host, ConnQual qualifier) {
  return abstract_name(kFamily, host, qualifier);
}

Result<UniqueFd> bind_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                                 bool port_claimed, int* error) {
  UniqueFd socket;
  const int found = bind_rendezvous_to(host, qualifier, port_claimed, socket);
  if (found == 0) return socket;
  if (found == EADDRINUSE) return fail(Type::ConnQualInUse);
  if (error != nullptr) *error = found;
  return fail(Type::InsufficientResources, Detail::ResourceDevice);
}

ConnectResult connect_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                                 UniqueFd& socket) {
  if (!socket) socket = seqpacket_socket();
  if (!socket) return ConnectResult::NoResources;
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(rendezvous_name(host, qualifier), address);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), length) == 0)
    return ConnectResult::Connected;
  switch (errno) {
  case EAGAIN:
  case EINTR: return ConnectResult::Busy;
  case ENOMEM:
  case ENOBUFS: return ConnectResult::NoResources;
  default: return ConnectResult::Nobody;
  }
}

namespace {

Lookup look_up(const std::optional<HostAddress>& name, const HostAddress& host, ConnQual qualifier,
               UniqueFd& out) {
  switch (connect_rendezvous(name, qualifier, out)) {
  case ConnectResult::Nobody: return Lookup::Nobody;
  case ConnectResult::Busy: return Lookup::Busy;
  case ConnectResult::NoResources: return Lookup::NoResources;
  case ConnectResult::Connected: break;
  }
  const auto owner = holder_is_owner(out.get(), host, qualifier);
  if (owner && *owner) return Lookup::Found;
  const PeerCredentials holder = peer_credentials(out.get());
  out.reset();
  if (!owner) return Lookup::NoResources;
  log(LogLevel::Info,
      "dial to {} qualifier {}: process {} of user {} answers there but does not own the TCP port; "
      "not used",
      to_text(host), qualifier, holder.pid, holder.uid);
  return Lookup::Stranger;
}

} // namespace

Lookup find_rendezvous(const HostAddress& host, ConnQual qualifier, UniqueFd& out) {
  const auto local = is_local(host);
  if (!local) return Lookup::Unknown;
  if (!*local) return Lookup::OtherHost;
  Lookup found = look_up(host, host, qualifier, out);
  if (found == Lookup::Nobody || found == Lookup::Stranger) {
    const Lookup wildcard = look_up(std::nullopt, host, qualifier, out);
    if (wildcard != Lookup::Nobody) found = wildcard;
  }
  if (found != Lookup::Found) out.reset();
  return found;
}

Result<bool> holder_is_owner(int socket, const HostAddress& dialled, ConnQual qualifier) {
  if (qualifier > kLargestPort) return true;
  const auto port = static_cast<std::uint16_t>(qualifier);
  const auto owner = tcp_listener_owner(dialled, port);
  if (!owner) return fail(owner.error());
  // A privileged port may be offered on this host only, without a TCP listener.
  if (!*owner) return port < first_unprivileged_port();
  return **owner == peer_credentials(socket).uid;
}

} // namespace datum
