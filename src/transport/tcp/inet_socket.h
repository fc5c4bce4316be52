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

// Error 0: under way or done, the socket becomes writable; otherwise why not. With `from` the
// connection comes from that address. `congestion`: of a way within this host, or nullptr.
Shortage start_connect(const HostAddress& to, std::uint16_t port,
                       const std::optional<HostAddress>& from, const Congestion* congestion,
                       GuardedFd& out);
// What became of it: 0, or errno.
int connect_result(int socket);
// Of a call that makes a socket: less of ours would have let it succeed.
bool is_lack_of_resources(int error);
// Of this host, not the network: a firewall, a route that prohibits, Landlock, a privilege that
// lacks.
bool is_refusal(int error);

// No waiting for more to send; a peer that has vanished is noticed after `dead_after`, at most a
// second later, or a 600th of it where that is more.
void tune(int socket, Duration dead_after);
// Octets that the peer does not take, though it answers, are no sign that it has vanished; or they
// are one again.
void excuse_peer(int socket, bool excused, Duration dead_after);
// What is closed next is not finished in order.
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
