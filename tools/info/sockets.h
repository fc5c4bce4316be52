// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/sockets.h: the TCP sockets of a network namespace, and why a connection uses TCP.
// Lives here: the kernel's tables as values, and the conclusions from them. Pure.
// Not here:   which sockets belong to a process (process.h). No table tells whether a socket is
//             used by DAT or by the program for another purpose.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "info/proc.h"

namespace datum::info {

struct TcpEnd {
  std::string host; // "192.0.2.1"; "0.0.0.0" and "::" are every address
  std::uint16_t port = 0;
  [[nodiscard]] bool is_every_address() const { return host == "0.0.0.0" || host == "::"; }
  bool operator==(const TcpEnd&) const = default;
};

// A line of /proc/net/tcp or tcp6.
struct TcpSocket {
  std::uint64_t inode = 0;
  TcpEnd local, remote;
  std::string state; // "established"
  uid_t user = 0;
  [[nodiscard]] bool listening() const { return state == "listening"; }
};
std::vector<TcpSocket> parse_tcp_sockets(std::string_view text);

// The tables of one network namespace.
struct SocketTables {
  std::vector<TcpSocket> tcp;
  std::vector<UnixSocket> names;
};

struct TcpConnection {
  TcpEnd local, remote;
  std::string state;
  bool this_host = false; // the peer is in the same network namespace
  std::string reason;     // why it uses TCP
};

// transport: DATUM_TRANSPORT of the process; empty: unknown or not set.
TcpConnection explain(const TcpSocket& socket, const SocketTables& tables,
                      std::string_view transport);

} // namespace datum::info
