// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/port_rules.h: which TCP ports this host lets a program have, and which ones Datum
// chooses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/port_range.h"

namespace datum {

// net.ipv4.ip_unprivileged_port_start: ports below this one need a privilege.
long unprivileged_port_start();
// unprivileged_port_start(), but at least 1024: the administrator may raise a lower value again,
// and other hosts may have the usual 1024.
std::uint16_t first_unprivileged_port();
// Text for the log. EACCES does not tell a missing privilege from a policy, so it names both.
inline constexpr std::string_view kLacksPrivilege =
    "needs a privilege (CAP_NET_BIND_SERVICE, below `sysctl net.ipv4.ip_unprivileged_port_start`) "
    "that this process lacks, or a security policy refuses it";

// The ports that connection qualifiers of more than 16 bits are mapped to. They are the same on
// every host, whatever its ephemeral ports, since both ends have to find the same port.
inline constexpr PortRange kMappedPorts{16384, 24575};

// The range for "any" qualifiers: below the kernel's ephemeral ports and beside kMappedPorts, so
// that neither an outgoing connection nor a mapped qualifier is in the way.
PortRange any_port_range();
// Computes that range; `ephemeral` is the text of ip_local_port_range.
PortRange any_port_range_below(const std::string& ephemeral);

// The ranges to use when all ports of any_port_range() are taken: the ephemeral ports below and
// above kMappedPorts. An empty range has low > high.
std::array<PortRange, 2> ephemeral_ports_beside_mapped();
std::array<PortRange, 2> beside_mapped(const std::string& ephemeral);

} // namespace datum
