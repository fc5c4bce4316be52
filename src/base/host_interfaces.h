// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/host_interfaces.h: the network interfaces of this host, and their addresses.
// Lives here: listing them, also where a sandbox refuses AF_NETLINK.
// Not here:   which interface has the address of an IA (provider/ia_address), or is itself the name
//             of an IA (registry/conf).
#pragma once

#include <string>
#include <sys/socket.h>
#include <vector>

#include "base/status.h"

namespace datum {

struct InterfaceAddress {
  std::string interface;
  bool is_up = false;
  bool is_loopback = false;
  sockaddr_storage address{}; // of IPv4 or IPv6; a link-local address with its scope id
};

// The addresses in the network namespace of the calling thread.
OrErrno<std::vector<InterfaceAddress>> interface_addresses();

} // namespace datum
