// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/held_names.h: socket names of service points that are held by a user other than the owner of
// the port.
// Lives here: reading names and ports from the kernel, and comparing them; the comparison is pure.
// Not here:   the consequences (check.h; docs/design/shm.md).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "info/sockets.h"

namespace datum::info {

// "FAMILY/HOST/PORT" and its holder. HOST of a rendezvous or a claim is an address, or "*" for
// every address; HOST of a mark is a number.
struct PortName {
  std::string host;
  std::uint16_t port = 0;
  uid_t holder = 0;
  std::string family = "datum/1"; // of a rendezvous
  bool listens = false;
};
// nullopt: the name has another form.
std::optional<PortName> parse_port_name(std::string_view name, int type, uid_t holder);

struct HeldName {
  PortName name;
  uid_t owner = 0; // the user of the port
};
// The names that would keep a service point from shared memory if the owner of the port made it
// now. For a privileged port, which is below `unprivileged`, each form of the name does that.
std::vector<HeldName> held_by_others(const std::vector<PortName>& names,
                                     const std::vector<TcpSocket>& tcp, unsigned unprivileged);

// The held names of this network namespace. Also empty if the kernel does not tell the holders of
// names.
std::vector<HeldName> find_held_names();

} // namespace datum::info
