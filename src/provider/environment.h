// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/environment.h: the variables that an IA obeys, looked at when it is opened.
// Lives here: their syntax, and one line for each that is not understood and so ignored.
// Not here:   DATUM_LOG (base/log), DATUM_ALIAS and those of DAT (registry).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/port_range.h"
#include "base/time.h"
#include "transport/tcp/tcp_options.h"

namespace datum {

// DATUM_TRANSPORT: which ways an IA may use.
enum class AllowedPaths : std::uint8_t { Every, SameHost, OtherHosts };

struct IaEnvironment {
  AllowedPaths paths = AllowedPaths::Every;
  bool strict = false;            // DATUM_STRICT
  std::optional<PortRange> ports; // DATUM_PORT_RANGE: those that an IA may choose by itself
  // DATUM_RNR_TIMEOUT. Unset: for ever, in strict mode a second.
  std::optional<Duration> receive_timeout = std::nullopt;
  Duration connect_grace = 50 * kMillisecond; // DATUM_CONNECT_GRACE
  TcpOptions tcp;                             // what is TCP's alone: DATUM_CRC, DATUM_HELLO, limits
};

IaEnvironment read_environment();
// DATUM_RNR_TIMEOUT alone.
std::optional<Duration> read_receive_timeout();

// The syntax alone; nothing: not understood.
std::optional<AllowedPaths> parse_paths(std::string_view text);
std::optional<PortRange> parse_ports(std::string_view text);
std::optional<CrcPolicy> parse_crc(std::string_view text);
std::optional<Duration> parse_milliseconds(std::string_view text);
// Milliseconds, at most 49 days.
std::optional<Duration> parse_receive_timeout(std::string_view text);
// Milliseconds, at most a minute.
std::optional<Duration> parse_short_wait(std::string_view text);
// Milliseconds that a peer has, at least a second: TCP counts its probes in seconds, and sends
// again what was lost only after some tenths of one.
std::optional<Duration> parse_peer_timeout(std::string_view text);
// Octets, from 4 KiB to 16 MiB.
std::optional<std::size_t> parse_octets(std::string_view text);
// No more than one connection's turn (docs/design/tcp.md).
std::optional<std::size_t> parse_read_size(std::string_view text);
// At least one, or nobody could connect, and nobody's last words would be heard.
std::optional<std::size_t> parse_connections(std::string_view text);

} // namespace datum
