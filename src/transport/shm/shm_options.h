// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_options.h: how a same-host fabric is set up, and its bounds.
#pragma once

#include <cstddef>
#include <optional>

#include "base/port_range.h"
#include "base/time.h"

namespace datum {

struct ShmOptions {
  bool every_address = false;     // IA `datum`: answers dials to any address of this host
  bool allow_direct = true;       // direct access to the memory of peers, and by peers to ours
  bool ports_are_claimed = false; // the TCP transport beside this fabric takes the ports
  // The ports of qualifiers that the consumer did not name. Empty: a range below the ephemeral
  // ports or, when that range is full, a port that the kernel chooses.
  std::optional<PortRange> any_ports;

  // A dial beyond max_links is refused with one log line; a dial beyond max_half_open waits.
  std::size_t max_links = 4096;    // one per adapter that talks to this one
  std::size_t max_half_open = 256; // dialled, handshake not finished
  Duration half_open_limit = 5 * kSecond;
  Duration idle_link_limit = 60 * kSecond; // how long a link stands without a connection
  Duration quiesce_limit = kSecond; // how long a peer may stay inside memory that is taken away
};

} // namespace datum
