// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/address.h: converts socket addresses of consumers to the Address of the core, and back. An
// Address holds the bytes of a sockaddr_in or sockaddr_in6, so equal addresses have equal bytes.
#pragma once

#include <sys/socket.h>

#include "base/status.h"
#include "core/port/types.h"

namespace datum {

// Parses the remote address of dat_ep_connect. Its port is ignored, since the connection qualifier
// names the port. Programs pass any port that getaddrinfo(3) or accept(2) left in the address.
Result<Address> parse_address(const sockaddr& given);

// For members of type DAT_IA_ADDRESS_PTR; valid as long as `address` lives.
inline sockaddr* to_sockaddr(const Address& address) {
  return const_cast<sockaddr*>(reinterpret_cast<const sockaddr*>(address.bytes));
}

} // namespace datum
