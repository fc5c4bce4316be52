// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/plain_tcp.h: what the wire between two hosts takes of the time of any TCP, ours or not.
// Times are at least what the wire takes; a busy machine makes them longer.
#pragma once

#include <chrono>
#include <cstddef>

#include "two_hosts.h"

namespace datum::net {

// Of a connect from here to there, over IPv4: a frame that way and one back.
std::chrono::nanoseconds time_of_connect(const TwoHosts& hosts);
// Of so many octets from here to there.
std::chrono::nanoseconds time_of_octets(const TwoHosts& hosts, std::size_t octets);

} // namespace datum::net
