// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/inet_socket.h: the system calls on TCP sockets that are not about data.
// Lives here: listening, connecting, options, names of both ends.
#pragma once

#include <cstdint>
#include <optional>

#include "base/shortage.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"
#include "transport/tcp/congestion.h"

namespace datum {

// 0, or errno. Without `host`: every address of this host. `port` 0: any.
int open_listener(const std::optional<HostAddress>& host, std::uint16_t port,
                  const Congestion& congestion, GuardedFd& out);

// Error 0: the connect is under way or done, and the socket becomes writable; otherwise why it
// failed. With `from` the connection comes from that address. `congestion`: nullptr, unless the
// peer is on this host.
Shortage start_connect(const HostAddress& to, std::uint16_t port,
                       const std::optional<HostAddress>& from, const Congestion* congestion,
                       GuardedFd& out);
// How the connect ended: 0, or errno.
int connect_result(int socket);
// True: a call that makes a socket failed with this errno, and may succeed once this process or the
// host has freed something.
bool is_lack_of_resources(int error);
// True: this host refuses it, not the network: a firewall, a route that prohibits, Landlock, or a
// missing privilege.
bool is_refusal(int error);

// Switches Nagle's algorithm off. Makes the kernel notice a peer that has vanished after
// `dead_after`, at most a second later, or a 600th of it where that is more.
void tune(int socket, Duration dead_after);
// excused: while the peer answers, octets that it does not take do not end the connection. Not
// excused: they do, after `dead_after`.
void excuse_peer(int socket, bool excused, Duration dead_after);
// Makes close() reset the connection.
void reset_when_closed(int socket);

struct SocketName {
  HostAddress host;
  std::uint16_t port = 0;
  bool operator==(const SocketName&) const = default;
};
SocketName local_name(int socket);
SocketName remote_name(int socket);
// The segment size that TCP uses now.
std::size_t segment_size(int socket);

} // namespace datum
