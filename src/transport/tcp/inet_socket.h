// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/inet_socket.h: all system calls on TCP sockets except those that move data.
// Lives here: listening, connecting, options, names of both ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/socket.h>

#include "base/shortage.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"
#include "transport/tcp/congestion.h"

namespace datum {

// Returns 0 or an errno. Without `host` the socket listens at every address of this host. With
// `port` 0 the kernel chooses the port.
int open_listener(const std::optional<HostAddress>& host, std::uint16_t port,
                  const Congestion& congestion, GuardedFd& out);

// Error 0: the connect has begun. The socket becomes writable when the connect has ended. Another
// error says why the connect failed. With `from` the connection comes from that address.
// `congestion`: nullptr, unless the peer is on this host.
Shortage start_connect(const HostAddress& to, std::uint16_t port,
                       const std::optional<HostAddress>& from, const Congestion* congestion,
                       GuardedFd& out);
// How the connect ended: 0, or errno.
int connect_result(int socket);
// True: a call that makes a socket and fails with this errno may succeed once this process or the
// host has freed resources.
bool is_lack_of_resources(int error);
// True: the errno is a refusal by this host, not by the network. The cause is a firewall, a
// prohibiting route, Landlock, or a missing privilege.
bool is_refusal(int error);

// Switches Nagle's algorithm off. Makes the kernel give up a peer that has been silent for
// `dead_after`, at most a second later, or a 600th of `dead_after` if that is longer.
void tune(int socket, Duration dead_after);
// Usually the connection ends when octets have not been acknowledged for `dead_after`. It does not
// if the peer is excused, as long as the peer's host answers.
void excuse_peer(int socket, bool excused, Duration dead_after);
// Makes close() reset the connection.
void reset_when_closed(int socket);

struct SocketName {
  HostAddress host;
  std::uint16_t port = 0;
  bool operator==(const SocketName&) const = default;
};
SocketName to_name(const sockaddr_storage& address);
SocketName local_name(int socket);
// Empty if the connection has ended.
SocketName remote_name(int socket);
// "192.0.2.1 port 5000", or words for a peer whose name the kernel does not know any more.
std::string text_of_peer(int socket);
// The segment size that TCP uses now.
std::size_t segment_size(int socket);

} // namespace datum
