// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_options.h: what is decided when an IA is opened.
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
  Off, // a peer that asks for it gets it all the same
};

struct TcpOptions {
  bool every_address = false;     // listen on all of them
  std::optional<PortRange> ports; // those that may be chosen (DATUM_PORT_RANGE)
  bool only_way = true;           // without it there is no other: what it cannot do is said
  // Why there is no other; empty: DATUM_TRANSPORT=tcp.
  std::string no_shared_memory;
  CrcPolicy crc = CrcPolicy::Auto;
  bool hello = true;                         // peers of our own kind are told apart
  std::optional<Duration> receive_timeout;   // of a message without a Recv, if that was said
  Duration dead_peer_timeout = 30 * kSecond; // a host that does not answer any more is gone
  std::size_t max_half_open = 512;           // accepted, request not complete, of one listener
  std::size_t max_ending = 1024;             // nobody holds them any more, their peers do
  Duration close_timeout = kSecond;          // how long the end of the IA waits for all of those
  Duration request_timeout = 10 * kSecond;   // until a request is complete
  Duration first_fpdu_timeout =
      60 * kSecond;                        // of a peer that has to speak first, from our reply on
  Duration end_timeout = 5 * kSecond;      // for last words, and the peer's end behind them
  std::size_t most_unexpected = 64 * 1024; // octets of messages without a Recv, per connection
  std::optional<std::size_t> most_unsent;  // octets that TCP has not taken, per connection
  std::size_t read_size =
      64 * 1024; // what is read at once, and so what waits behind those messages

  // Within a host an octet costs least in long calls. Towards others BBR takes the pause between
  // two such calls for what the way carries, and stays at half of that (docs/performance.md).
  std::size_t unsent(bool same_host) const {
    return most_unsent.value_or(same_host ? 1024 * 1024 : 256 * 1024);
  }
};

} // namespace datum
