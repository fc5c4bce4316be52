// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_options.h: how a same-host fabric is set up, and its bounds.
#pragma once

#include <cstddef>
#include <optional>

#include "base/port_range.h"
#include "base/time.h"

namespace datum {

struct ShmOptions {
  bool every_address = false; // IA `datum`: answers dials to any address of this host
  bool allow_direct = true;   // touch a peer's memory where the kernel allows it, and admit peers
  bool ports_are_claimed = false; // the TCP transport beside this fabric takes the ports
  // The ports of qualifiers that the consumer did not name. If it is empty: a range below the
  // ephemeral ports, and what the kernel gives when that range is full.
  std::optional<PortRange> any_ports;

  // Each bound causes a refusal and one log line.
  std::size_t max_links = 4096;    // one per adapter that talks to this one
  std::size_t max_half_open = 256; // dialled, handshake not finished
  Duration half_open_limit = 5 * kSecond;
  Duration idle_link_limit = 60 * kSecond; // how long a link stands without a connection
  Duration quiesce_limit = kSecond; // how long a peer may stay inside memory that is taken away
};

} // namespace datum
