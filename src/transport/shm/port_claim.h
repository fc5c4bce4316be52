// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/port_claim.h: a TCP port that is ours: it decides who owns a 16-bit qualifier.
// Lives here: binding and listening, what the outcomes mean.
// Not here:   answering: until a TCP transport takes the socket over, a filter drops what arrives.
#pragma once

#include <cstdint>
#include <optional>

#include "base/port_range.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "transport/shm/host_address.h"

namespace datum {

class PortClaim {
 public:
  // `host` nothing: every address of this host. `port` 0: any, see port(). Succeeds without a
  // socket when the port needs a privilege that this process lacks: is_same_host_only().
  static Result<PortClaim> take(const std::optional<HostAddress>& host, std::uint16_t port);

  std::uint16_t port() const { return port_; }
  bool is_same_host_only() const { return !socket_; }

 private:
  PortClaim(UniqueFd socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  UniqueFd socket_;
  std::uint16_t port_;
};

// Ports below this one may need a privilege, so that a rendezvous may stand without a listener.
std::uint16_t first_unprivileged_port();

// The range for "any" qualifiers: below the kernel's ephemeral ports, where neither an outgoing
// connection nor (at the other end of that range) a mapped qualifier gets in the way.
PortRange any_port_range();
// The rule itself; `ephemeral` is the text of ip_local_port_range.
PortRange any_port_range_below(const std::string& ephemeral);

} // namespace datum
