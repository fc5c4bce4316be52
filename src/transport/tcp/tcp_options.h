// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_options.h: the settings of a TCP transport, made when an IA is opened.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "base/port_range.h"
#include "base/time.h"
#include "core/port/types.h"

namespace datum {

// DATUM_CRC, in the order of its words.
enum class CrcPolicy : std::uint8_t {
  Auto, // off where octets do not leave this host
  On,
  Off, // a peer that asks for CRC gets it all the same
};

struct TcpOptions {
  bool every_address = false;     // listen on every address of this host
  std::optional<PortRange> ports; // the ports that Datum may choose (DATUM_PORT_RANGE)
  bool only_way = true;           // the IA has no other transport
  // Why there is no shared memory beside TCP; empty: DATUM_TRANSPORT=tcp.
  std::string no_shared_memory;
  CrcPolicy crc = CrcPolicy::Auto;
  bool hello = true;                         // send Hello, by which own peers know each other
  std::optional<Duration> receive_timeout;   // how long a message waits for a Recv
  Duration dead_peer_timeout = 30 * kSecond; // a host that is silent for this time is dead
  std::size_t max_half_open = 512;           // half-open connections of one listener
  std::size_t max_ending = 1024;             // released connections that have not ended
  Duration close_timeout = kSecond;          // how long the end of the IA waits for them
  Duration request_timeout = 10 * kSecond;   // until a request is complete
  // From the reply until the first FPDU of a peer that has to speak first.
  Duration first_fpdu_timeout = 60 * kSecond;
  Duration end_timeout = 5 * kSecond;      // for the last message and the peer's end after it
  std::size_t most_unexpected = 64 * 1024; // octets of messages without a Recv, per connection
  std::optional<std::size_t> most_unsent;  // octets queued for TCP, per connection
  // Octets of one read. No more octets wait behind messages without a Recv.
  std::size_t read_size = 64 * 1024;

  // Within a host, long system calls cost least per octet. Towards other hosts, BBR mistakes the
  // pause between two long calls for the limit of the network, and stays at half of the network's
  // rate (docs/performance.md).
  std::size_t unsent(bool same_host) const {
    return most_unsent.value_or(same_host ? 1024 * 1024 : 256 * 1024);
  }
};

} // namespace datum
