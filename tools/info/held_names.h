// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/held_names.h: names of shared memory that another user holds than the one who has the port.
// Lives here: asking the kernel for both, and comparing them, which is pure.
// Not here:   what follows (check.h; docs/design/shm.md).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "info/sockets.h"

namespace datum::info {

// "datum/1/ADDRESS/PORT", ADDRESS being "*" for every one, and who holds it.
struct RendezvousName {
  std::string host;
  std::uint16_t port = 0;
  uid_t holder = 0;
};
// nullopt: it is no such name, or not of a port.
std::optional<RendezvousName> parse_rendezvous(std::string_view name, uid_t holder);

struct HeldName {
  RendezvousName name;
  uid_t owner = 0; // of the port
};
std::vector<HeldName> held_by_others(const std::vector<RendezvousName>& names,
                                     const std::vector<TcpSocket>& tcp);

// Of this network namespace now. Empty also where the kernel does not tell whose names are.
std::vector<HeldName> find_held_names();

} // namespace datum::info
