// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/environment.h"

#include <charconv>
#include <cstdlib>

#include "base/log.h"

namespace datum {
namespace {

// Ports below may need a privilege; nobody gets one without having asked for it.
constexpr std::uint16_t kLowestChosen = 1024;

// Digits and nothing else.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// `parse` of the text, else `otherwise` and a line that says what was expected.
template <class T, class Parse>
T take(const char* name, const char* text, Parse&& parse, T otherwise, const char* expected) {
  if (text == nullptr) return otherwise;
  if (const auto parsed = parse(text)) return *parsed;
  log(LogLevel::Warn, "{}=\"{}\" is ignored: expected {}", name, text, expected);
  return otherwise;
}

} // namespace

std::optional<AllowedPaths> parse_paths(std::string_view text) {
  if (text == "auto") return AllowedPaths::Every;
  if (text == "shm") return AllowedPaths::SameHost;
  if (text == "tcp") return AllowedPaths::OtherHosts;
  return std::nullopt;
}

std::optional<PortRange> parse_ports(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto low = parse_number<std::uint16_t>(text.substr(0, dash));
  const auto high = parse_number<std::uint16_t>(text.substr(dash + 1));
  if (!low || !high || *low < kLowestChosen || *low > *high) return std::nullopt;
  return PortRange{*low, *high};
}

std::optional<Duration> parse_milliseconds(std::string_view text) {
  const auto value = parse_number<std::uint32_t>(text);
  if (!value) return std::nullopt;
  return *value * kMillisecond;
}

std::optional<Duration> parse_peer_timeout(std::string_view text) {
  constexpr Duration kMost = 24 * 3600 * kSecond;
  const auto value = parse_milliseconds(text);
  return value && *value >= kSecond && *value <= kMost ? value : std::nullopt;
}

std::optional<Duration> parse_connect_grace(std::string_view text) {
  constexpr Duration kMost = 60 * kSecond;
  const auto value = parse_milliseconds(text);
  return value && *value <= kMost ? value : std::nullopt;
}

std::optional<std::size_t> parse_connections(std::string_view text) {
  constexpr std::uint32_t kMost = 65536;
  const auto value = parse_number<std::uint32_t>(text);
  if (!value || *value < 1 || *value > kMost) return std::nullopt;
  return *value;
}

std::optional<CrcPolicy> parse_crc(std::string_view text) {
  if (text == "auto") return CrcPolicy::Auto;
  if (text == "on") return CrcPolicy::On;
  if (text == "off") return CrcPolicy::Off;
  return std::nullopt;
}

IaEnvironment read_environment() {
  IaEnvironment found;
  // A program with more rights than its caller does not let the caller choose for it.
  found.paths = take("DATUM_TRANSPORT", ::secure_getenv("DATUM_TRANSPORT"), parse_paths,
                     AllowedPaths::Every, "auto, shm or tcp; going on as with auto");
  found.ports = take("DATUM_PORT_RANGE", ::secure_getenv("DATUM_PORT_RANGE"), parse_ports,
                     found.ports, "two ports from 1024 to 65535, as in 20000-29999");
  found.receive_timeout =
      take("DATUM_RNR_TIMEOUT", std::getenv("DATUM_RNR_TIMEOUT"), parse_milliseconds,
           found.receive_timeout, "milliseconds; using 1000");
  found.crc = take("DATUM_CRC", ::secure_getenv("DATUM_CRC"), parse_crc, CrcPolicy::Auto,
                   "auto, on or off; going on as with auto");
  found.peer_timeout =
      take("DATUM_PEER_TIMEOUT", std::getenv("DATUM_PEER_TIMEOUT"), parse_peer_timeout,
           found.peer_timeout, "milliseconds, 1000 to 86400000; using 30000");
  found.connect_grace =
      take("DATUM_CONNECT_GRACE", std::getenv("DATUM_CONNECT_GRACE"), parse_connect_grace,
           found.connect_grace, "milliseconds, at most 60000; using 50");
  found.half_open = take("DATUM_HALF_OPEN", std::getenv("DATUM_HALF_OPEN"), parse_connections,
                         found.half_open, "a number from 1 to 65536; using 512");
  found.ending = take("DATUM_ENDING", std::getenv("DATUM_ENDING"), parse_connections, found.ending,
                      "a number from 1 to 65536; using 1024");
  return found;
}

} // namespace datum
