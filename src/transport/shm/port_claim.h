// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/port_claim.h: a TCP port of this process, which decides who owns a 16-bit
// qualifier.
// Lives here: binding and listening, and which failures still leave a claim.
// Not here:   answering connections (a filter drops the packets that arrive); the ports of a TCP
//             transport, which takes them itself (ShmOptions::ports_are_claimed).
#pragma once

#include <cstdint>
#include <optional>

#include "base/port_range.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"
#include "transport/host/listen_error.h"

namespace datum {

class PortClaim {
 public:
  // `host` nothing: every address of this host. `port` 0: any port. If the port needs a privilege
  // that this process lacks, take() succeeds without a socket, and is_same_host_only() is true.
  static ListenResult<PortClaim> take(const std::optional<HostAddress>& host, std::uint16_t port);

  std::uint16_t port() const { return port_; }
  bool is_same_host_only() const { return !socket_; }

 private:
  PortClaim(GuardedFd socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  GuardedFd socket_;
  std::uint16_t port_;
};

} // namespace datum
