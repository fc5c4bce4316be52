// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/inet/qualifier_claim.h"

#include <cerrno>
#include <sys/socket.h>
#include <sys/un.h>

#include "transport/inet/abstract_name.h"

namespace datum {
namespace {

int claim(int type, std::string_view family, const std::optional<HostAddress>& host,
          ConnQual qualifier, GuardedFd& out) {
  GuardedFd socket = GuardedFd::make([&] { return ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0); });
  if (!socket) return errno;
  // Nobody reads what strangers say to it, so the kernel is to keep none of that.
  if (::shutdown(socket.get(), SHUT_RD) != 0) return errno;
  const std::string name = abstract_name(family, host, qualifier);
  if (const int error = take_name(socket.get(), name); error != 0) return error;
  if (const int error = look_for_conflict(family, host, qualifier); error != 0) return error;
  out = std::move(socket);
  return 0;
}

// Connecting a datagram socket tells its owner nothing, and needs nobody who accepts. Only
// ECONNREFUSED says that there is no such name.
bool is_taken(int socket, const std::string& name) {
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(name, address);
  return ::connect(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 ||
         errno != ECONNREFUSED;
}

} // namespace

int claim_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                    ConnQual qualifier, GuardedFd& out) {
  return claim(SOCK_DGRAM, family, host, qualifier, out);
}

int reserve_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier, GuardedFd& out) {
  return claim(SOCK_SEQPACKET, kRendezvousNames, host, qualifier, out);
}

OrErrno<bool> is_claimed_otherwise(const std::optional<HostAddress>& name,
                                   const HostAddress& dialled, ConnQual qualifier) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return tl::unexpected(errno);
  std::optional<HostAddress> other;
  if (!name) other = dialled;
  for (const std::string_view family : {kMappedNames, kSameHostNames})
    if (is_taken(socket.get(), abstract_name(family, other, qualifier))) return true;
  return false;
}

} // namespace datum
