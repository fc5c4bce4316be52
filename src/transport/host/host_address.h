// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/host_address.h: an IP address as transports need it.
// Lives here: reading and writing the core's opaque Address, text, whether the address is one of
//             this host.
// Not here:   ports; a qualifier always comes separately.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/socket.h>

#include "base/status.h"
#include "core/port/types.h"

namespace datum {

struct HostAddress {
  int family = AF_INET;
  std::array<std::uint8_t, 16> bytes{}; // network order; IPv4 uses the first four
  std::uint32_t scope = 0;              // the interface of a link-local IPv6 address

  bool operator==(const HostAddress&) const = default;
  bool is_unspecified() const;
  bool is_multicast() const;
  bool is_loopback() const;
};

// An IPv4-mapped IPv6 address becomes the IPv4 address. nullopt: the address is of neither family.
std::optional<HostAddress> read_address(const Address& address);
Address write_address(const HostAddress& host);
// "127.0.0.1", "fe80::1%2"
std::string to_text(const HostAddress& host);
// For bind() and connect(); returns the length.
socklen_t to_sockaddr(const HostAddress& host, std::uint16_t port, sockaddr_storage& out);

// True: a packet to this address would stay on this host. The address is a loopback address, or a
// local one by the kernel's routes of now. Fails for lack of descriptors. If AF_NETLINK, or each
// call that carries its messages, is refused, fails for an address that no interface has.
OrErrno<bool> is_local(const HostAddress& host);

// True: octets between the two addresses stay on this host. `own`: an address that this host has
// now; nullopt: any address of this host. "This host" is the network namespace of the calling
// thread. Also false if is_local() fails.
bool is_within_host(const std::optional<HostAddress>& own, const HostAddress& peer);

// True: no interface of this host is up and has an address, so TCP reaches no host, not even this
// one. Also false if the kernel gives no answer.
bool has_no_network();
inline constexpr const char* kNoNetwork =
    "no network interface of this host is up and has an address";

// True: sockets of this host may have this address, since an interface has it or ip_nonlocal_bind
// is set. Also true if no socket can be made to find out.
bool may_bind(const HostAddress& host);

} // namespace datum
