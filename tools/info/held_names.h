// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/held_names.h: socket names of service points that another user holds than the owner of the
// port. Lives here: asking the kernel for both, and comparing them, which is pure. Not here:
// what follows (check.h; docs/design/shm.md).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "info/sockets.h"

namespace datum::info {

// "FAMILY/HOST/PORT" and its holder. Rendezvous and claims: HOST is an address, or "*" for every
// one; marks: a number.
struct PortName {
  std::string host;
  std::uint16_t port = 0;
  uid_t holder = 0;
  std::string family = "datum/1";
  bool listens = false;
};
// nullopt: it is no such name, or not of a port.
std::optional<PortName> parse_port_name(std::string_view name, int type, uid_t holder);

struct HeldName {
  PortName name;
  uid_t owner = 0; // of the port
};
// Those that keep a service point at the owner's port from shared memory if it is made now. Where
// ports need a privilege, below `unprivileged`, every form of the name does.
std::vector<HeldName> held_by_others(const std::vector<PortName>& names,
                                     const std::vector<TcpSocket>& tcp, unsigned unprivileged);

// Of this network namespace now. Empty also where the kernel does not tell the holders of names.
std::vector<HeldName> find_held_names();

} // namespace datum::info
