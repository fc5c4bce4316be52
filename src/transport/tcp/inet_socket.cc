// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/inet_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/refused_calls.h"
#include "base/text.h"

namespace datum {
namespace {

constexpr int kBacklog = 4096; // cut to net.core.somaxconn by the kernel
constexpr int kNoError = 0;
constexpr int kTcpRtoMaxMs = 44; // TCP_RTO_MAX_MS, which headers before Linux 6.15 lack

void set_option(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof value);
}

int stream_socket(int family) {
  return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int bind_to(int socket, const HostAddress& host, std::uint16_t port) {
  sockaddr_storage address{};
  const socklen_t length = to_sockaddr(host, port, address);
  return ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 ? kNoError : errno;
}

int listen_at(const HostAddress& host, std::uint16_t port, bool dual_stack,
              const Congestion& congestion, GuardedFd& out) {
  GuardedFd socket = GuardedFd::make([&] { return stream_socket(host.family); });
  if (!socket) return errno;
  // With this option two sockets may bind the same port, but only one of them may listen.
  set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (host.family == AF_INET6)
    set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, dual_stack ? 0 : 1);
  if (const int error = bind_to(socket.get(), host, port); error != kNoError) return error;
  congestion.expect_this_host(socket.get()); // expect_network() changes it for peers on other hosts
  if (::listen(socket.get(), kBacklog) != 0) return errno;
  out = std::move(socket);
  return kNoError;
}

int connect_to(int socket, const HostAddress& host, std::uint16_t port) {
  sockaddr_storage address{};
  const socklen_t length = to_sockaddr(host, port, address);
  return ::connect(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 ? kNoError : errno;
}

// The kernel gives EADDRNOTAVAIL for three reasons: this host does not have the address `from`, it
// has no address from which `to` can be reached, or no local TCP port is left. A datagram socket
// needs the same addresses, but no TCP port. If that socket gets the error, too, an address is
// missing.
Shortage why_no_name(const HostAddress& to, std::uint16_t port,
                     const std::optional<HostAddress>& from) {
  const UniqueFd probe(::socket(to.family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe) return is_lack_of_resources(errno) ? shortage_of(errno) : kNoLocalPort;
  const int error = from ? bind_to(probe.get(), *from, 0) : kNoError;
  const bool no_address =
      error == EADDRNOTAVAIL || connect_to(probe.get(), to, port) == EADDRNOTAVAIL;
  return no_address ? shortage_of(EADDRNOTAVAIL) : kNoLocalPort;
}

// How the connect ended, for a process whose sandbox refuses getsockopt(2). If the socket has no
// peer, the next read reports the error of the connect.
int result_without_options(int socket) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &length) == 0) return kNoError;
  const int unconnected = errno;
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 ? errno : unconnected;
}

} // namespace

int open_listener(const std::optional<HostAddress>& host, std::uint16_t port,
                  const Congestion& congestion, GuardedFd& out) {
  if (host) return listen_at(*host, port, false, congestion, out);
  HostAddress any;
  any.family = AF_INET6;
  const int error = listen_at(any, port, true, congestion, out);
  if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL) return error;
  return listen_at(HostAddress{}, port, false, congestion, out); // a host without IPv6
}

Shortage start_connect(const HostAddress& to, std::uint16_t port,
                       const std::optional<HostAddress>& from, const Congestion* congestion,
                       GuardedFd& out) {
  GuardedFd socket = GuardedFd::take([&] { return stream_socket(to.family); });
  if (!socket) return shortage_of(errno);
  const bool bound = from && from->family == to.family;
  if (bound) {
    // The kernel then chooses the local port in connect(). It knows the destination by then, so the
    // port only has to be free for that destination.
    set_option(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    if (const int error = bind_to(socket.get(), *from, 0); error != kNoError)
      return shortage_of(error);
  }
  if (congestion != nullptr) congestion->expect_this_host(socket.get());
  const int error = connect_to(socket.get(), to, port);
  if (error == EADDRNOTAVAIL) return why_no_name(to, port, bound ? from : std::nullopt);
  if (error != kNoError && error != EINPROGRESS) return shortage_of(error);
  out = std::move(socket);
  return {};
}

int connect_result(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
    error = is_refusal_of_call(errno) ? result_without_options(socket) : errno;
  if (error != kNoError) return error;
  // If no socket listens at the port, the kernel may give this very port to the connecting socket.
  // The socket then connects to itself.
  return local_name(socket) == remote_name(socket) ? ECONNREFUSED : kNoError;
}

bool is_lack_of_resources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool is_refusal(int error) {
  return error == EACCES || error == EPERM;
}

// The kernel begins to probe a silent peer after half of `dead_after`. It gives the peer up when
// the first probe after `dead_after` is due (TCP_USER_TIMEOUT, which makes TCP_KEEPCNT void). So
// the probes are a second apart, and the peer is given up at most a second late. A longer interval
// would not do, even if it divided `dead_after`: the kernel's timers are late by up to an eighth of
// their time.
void tune(int socket, Duration dead_after) {
  constexpr int kLongestIdle = 32767; // the kernel's limit
  constexpr int kMostProbes = 600;    // in dead_after
  const auto seconds = static_cast<int>(dead_after / kSecond);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(dead_after / kMillisecond));
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, std::clamp(seconds / 2, 1, kLongestIdle));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, std::max(seconds / kMostProbes, 1));
  // Linux 6.15 or later. Older kernels probe a peer whose window is closed at intervals that grow
  // to two minutes.
  set_option(socket, IPPROTO_TCP, kTcpRtoMaxMs, std::clamp(seconds / 4, 1, 120) * 1000);
}

void excuse_peer(int socket, bool excused, Duration dead_after) {
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             excused ? 0 : static_cast<int>(dead_after / kMillisecond));
}

void reset_when_closed(int socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

SocketName to_name(const sockaddr_storage& address) {
  Address image;
  std::memcpy(image.bytes, &address, sizeof image.bytes);
  SocketName name;
  if (const auto host = read_address(image)) name.host = *host;
  // Both families have the port at the same place.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  std::uint16_t port = 0;
  std::memcpy(&port, reinterpret_cast<const std::byte*>(&address) + offsetof(sockaddr_in, sin_port),
              sizeof port);
  name.port = ntohs(port);
  return name;
}

SocketName local_name(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return to_name(address);
}

SocketName remote_name(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return to_name(address);
}

std::string text_of_peer(int socket) {
  const SocketName peer = remote_name(socket);
  return peer.port == 0 ? "a peer that has ended"
                        : text("{} port {}", to_text(peer.host), peer.port);
}

std::size_t segment_size(int socket) {
  constexpr std::size_t kLeast = 536; // every host accepts this size (RFC 1122)
  int size = 0;
  socklen_t length = sizeof size;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &size, &length) != 0 || size <= 0)
    return kLeast;
  return static_cast<std::size_t>(size);
}

} // namespace datum
