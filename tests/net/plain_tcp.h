// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/plain_tcp.h: how long plain TCP takes over the wire between two hosts. That is at least
// the wire's own time; a busy machine makes it longer.
#pragma once

#include <chrono>
#include <cstddef>

#include "two_hosts.h"

namespace datum::net {

// The time of a connect from `here` to `there` over IPv4: one frame in each direction.
std::chrono::nanoseconds time_of_connect(const TwoHosts& hosts);
// The time that `octets` octets take from `here` to `there`.
std::chrono::nanoseconds time_of_octets(const TwoHosts& hosts, std::size_t octets);

} // namespace datum::net
