// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/plain_tcp.h: the time that any TCP connection takes over the wire between two hosts.
// The times are at least those of the wire; a busy machine makes them longer.
#pragma once

#include <chrono>
#include <cstddef>

#include "two_hosts.h"

namespace datum::net {

// The time of a connect from here to there, over IPv4: a frame there and one back.
std::chrono::nanoseconds time_of_connect(const TwoHosts& hosts);
// The time of so many octets from here to there.
std::chrono::nanoseconds time_of_octets(const TwoHosts& hosts, std::size_t octets);

} // namespace datum::net
