// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/port_claim.h"

#include <cerrno>
#include <linux/filter.h>
#include <netinet/in.h>

#include "transport/host/port_rules.h"

namespace datum {
namespace {

constexpr int kNoError = 0;
constexpr int kIpv6MinHopCount = 73; // IPV6_MINHOPCOUNT, in headers of the kernel alone

// Drops packets whose hop limit on arrival is below 255, the largest value. Hardly any packet has
// 255.
void drop_what_has_hops_behind_it(int socket, int family) {
  const int most = 255;
  ::setsockopt(socket, IPPROTO_IP, IP_MINTTL, &most, sizeof most);
  if (family == AF_INET6) ::setsockopt(socket, IPPROTO_IPV6, kIpv6MinHopCount, &most, sizeof most);
}

// Keeps the kernel from establishing connections that no process will answer. A filter that drops
// every packet may be refused, by some kernels to all but root, or by a sandbox. Then a minimum hop
// limit drops packets from senders that begin with less than 255, as most do. If that is refused,
// too, the claim still holds. False: the kernel lacks memory for the filter.
bool drop_everything(int socket, int family) {
  sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
  const sock_fprog program{1, code};
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0)
    return true;
  if (errno == ENOMEM || errno == ENOBUFS) return false;
  drop_what_has_hops_behind_it(socket, family);
  return true;
}

// 0 or errno. Two sockets with SO_REUSEADDR may both bind, but only one may listen.
int bind_and_listen(const HostAddress& host, std::uint16_t port, bool dual_stack, GuardedFd& out) {
  GuardedFd socket = GuardedFd::make(
      [&] { return ::socket(host.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
  if (!socket) return errno;
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (host.family == AF_INET6) {
    const int only = dual_stack ? 0 : 1;
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  }
  if (!drop_everything(socket.get(), host.family)) return errno;
  sockaddr_storage address{};
  const socklen_t length = to_sockaddr(host, port, address);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) return errno;
  if (::listen(socket.get(), 0) != 0) return errno;
  out = std::move(socket);
  return kNoError;
}

int claim(const std::optional<HostAddress>& host, std::uint16_t port, GuardedFd& out) {
  if (host) return bind_and_listen(*host, port, false, out);
  HostAddress any;
  any.family = AF_INET6;
  const int error = bind_and_listen(any, port, true, out);
  if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL) return error;
  return bind_and_listen(HostAddress{}, port, false, out); // for a host without IPv6
}

} // namespace

ListenResult<PortClaim> PortClaim::take(const std::optional<HostAddress>& host,
                                        std::uint16_t port) {
  GuardedFd socket;
  const int error = claim(host, port, socket);
  if (error == EACCES && port < first_unprivileged_port()) return PortClaim(GuardedFd(), port);
  if (error != kNoError) return tl::unexpected(port_error(error, port));
  // Works also where a filter of system calls refuses getsockname(2).
  if (port != 0) return PortClaim(std::move(socket), port);
  const auto bound = bound_port(socket.get());
  if (!bound) return tl::unexpected(bound.error());
  return PortClaim(std::move(socket), *bound);
}

} // namespace datum
