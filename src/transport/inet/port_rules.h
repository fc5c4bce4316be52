// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/inet/port_rules.h: which TCP ports this host lets a program have, and which are chosen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/port_range.h"

namespace datum {

// Ports below this one may need a privilege.
std::uint16_t first_unprivileged_port();
// What a program is told that may not have one of those: EACCES does not tell the two apart.
inline constexpr std::string_view kLacksPrivilege =
    "needs a privilege (CAP_NET_BIND_SERVICE) that this process lacks, or a security policy "
    "refuses "
    "it";

// The range for "any" qualifiers: below the kernel's ephemeral ports, where neither an outgoing
// connection nor (at the other end of that range) a mapped qualifier gets in the way.
PortRange any_port_range();
// The rule itself; `ephemeral` is the text of ip_local_port_range.
PortRange any_port_range_below(const std::string& ephemeral);

} // namespace datum
