// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/listener_owner.h: which user's TCP listener would answer at an address and port.
// Lives here: asking the kernel's socket diagnostics, and reading /proc/net/tcp where those are
//             missing or forbidden. A dialler uses a rendezvous only if its holder runs as the user
//             of that TCP listener.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>

#include "base/status.h"
#include "transport/host/host_address.h"

namespace datum {

// Nothing: no socket listens there. Fails for lack of descriptors.
OrErrno<std::optional<uid_t>> tcp_listener_owner(const HostAddress& host, std::uint16_t port);

// The listener that /proc/net/tcp or tcp6 shows.
struct FoundListener {
  uid_t owner = 0;
  // True: it listens on every IPv6 address, and the files do not tell whether it answers IPv4
  // (IPV6_V6ONLY).
  bool may_be_ipv6_only = false;
  bool operator==(const FoundListener&) const = default;
};
// `v4` and `v6` are the contents of /proc/net/tcp and /proc/net/tcp6. A listener on the address
// itself comes before one on every address, and one of IPv4 before one of IPv6 that answers IPv4.
// In this order the kernel chooses the listener for a SYN.
std::optional<FoundListener> find_listener(std::string_view v4, std::string_view v6,
                                           const HostAddress& host, std::uint16_t port);

} // namespace datum
