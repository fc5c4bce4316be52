// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/environment.h: the variables that an IA obeys, read when the IA is opened.
// Lives here: the meaning of each variable for an IA.
// Not here:   the syntax of the variables (base/variables.h), DATUM_LOG (base/log), DATUM_ALIAS and
//             the variables of DAT (registry).
#pragma once

#include <cstdint>
#include <optional>

#include "base/port_range.h"
#include "base/time.h"
#include "transport/tcp/tcp_options.h"

namespace datum {

// DATUM_TRANSPORT: which paths an IA may use, in the order of the variable's words.
enum class AllowedPaths : std::uint8_t { Every, SameHost, OtherHosts };

struct IaEnvironment {
  AllowedPaths paths = AllowedPaths::Every;
  bool strict = false;            // DATUM_STRICT
  std::optional<PortRange> ports; // DATUM_PORT_RANGE: ports that an IA may choose by itself
  // DATUM_RNR_TIMEOUT. Unset: a message waits for its Recv without limit, in strict mode one
  // second.
  std::optional<Duration> receive_timeout = std::nullopt;
  Duration connect_grace = 50 * kMillisecond; // DATUM_CONNECT_GRACE
  TcpOptions tcp;                             // of TCP alone: DATUM_CRC, DATUM_HELLO, limits
};

IaEnvironment read_environment();
// DATUM_RNR_TIMEOUT alone.
std::optional<Duration> read_receive_timeout();

} // namespace datum
