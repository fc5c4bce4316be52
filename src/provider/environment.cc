// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/environment.h"

#include <charconv>
#include <cstdlib>

#include "base/log.h"
#include "base/strict.h"

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

std::optional<std::size_t> parse_number_within(std::string_view text, std::uint32_t least,
                                               std::uint32_t most) {
  const auto value = parse_number<std::uint32_t>(text);
  if (!value || *value < least || *value > most) return std::nullopt;
  return *value;
}

// `parse` of the text, else `otherwise` and a line that says what was expected.
template <class T, class Parse>
T take(const char* name, const char* text, Parse&& parse, T otherwise, const char* expected) {
  if (text == nullptr) return otherwise;
  if (const auto parsed = parse(text)) return *parsed;
  log(LogLevel::Warn, "{}=\"{}\" is ignored: expected {}", name, text, expected);
  return otherwise;
}

template <class T, class Parse>
void obey(const char* name, Parse&& parse, T& value, const char* expected) {
  value = take(name, std::getenv(name), parse, value, expected);
}

void read_tcp(TcpOptions& tcp) {
  tcp.crc = take("DATUM_CRC", ::secure_getenv("DATUM_CRC"), parse_crc, CrcPolicy::Auto,
                 "auto, on or off; going on as with auto");
  tcp.hello = take("DATUM_HELLO", ::secure_getenv("DATUM_HELLO"), parse_switch, tcp.hello,
                   "on or off; going on as with on");
  obey("DATUM_PEER_TIMEOUT", parse_peer_timeout, tcp.dead_peer_timeout,
       "milliseconds, 1000 to 86400000; using 30000");
  obey("DATUM_HALF_OPEN", parse_connections, tcp.max_half_open,
       "a number from 1 to 65536; using 512");
  obey("DATUM_REQUEST_TIMEOUT", parse_peer_timeout, tcp.request_timeout,
       "milliseconds, 1000 to 86400000; using 10000");
  obey("DATUM_FIRST_FRAME_TIMEOUT", parse_peer_timeout, tcp.first_fpdu_timeout,
       "milliseconds, 1000 to 86400000; using 60000");
  obey("DATUM_UNRECEIVED", parse_octets, tcp.most_staged, "octets, 4096 to 16777216; using 65536");
  obey("DATUM_READ_SIZE", parse_read_size, tcp.read_size, "octets, 4096 to 262144; using 65536");
  obey("DATUM_UNSENT", parse_octets, tcp.most_unsent,
       "octets, 4096 to 16777216; using 1048576 within a host, 262144 to others");
  obey("DATUM_ENDING", parse_connections, tcp.max_ending, "a number from 1 to 65536; using 1024");
  obey("DATUM_END_TIMEOUT", parse_peer_timeout, tcp.end_timeout,
       "milliseconds, 1000 to 86400000; using 5000");
  obey("DATUM_CLOSE_TIMEOUT", parse_short_wait, tcp.farewell,
       "milliseconds, at most 60000; using 1000");
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

std::optional<Duration> parse_receive_timeout(std::string_view text) {
  constexpr Duration kMost = 49 * 24 * 3600 * kSecond;
  const auto value = parse_milliseconds(text);
  return value && *value <= kMost ? value : std::nullopt;
}

std::optional<Duration> parse_peer_timeout(std::string_view text) {
  constexpr Duration kMost = 24 * 3600 * kSecond;
  const auto value = parse_milliseconds(text);
  return value && *value >= kSecond && *value <= kMost ? value : std::nullopt;
}

std::optional<Duration> parse_short_wait(std::string_view text) {
  constexpr Duration kMost = 60 * kSecond;
  const auto value = parse_milliseconds(text);
  return value && *value <= kMost ? value : std::nullopt;
}

std::optional<std::size_t> parse_connections(std::string_view text) {
  return parse_number_within(text, 1, 65536);
}

std::optional<std::size_t> parse_octets(std::string_view text) {
  return parse_number_within(text, 4096, 16 * 1024 * 1024);
}

std::optional<std::size_t> parse_read_size(std::string_view text) {
  return parse_number_within(text, 4096, 256 * 1024);
}

std::optional<CrcPolicy> parse_crc(std::string_view text) {
  if (text == "auto") return CrcPolicy::Auto;
  if (text == "on") return CrcPolicy::On;
  if (text == "off") return CrcPolicy::Off;
  return std::nullopt;
}

std::optional<Duration> read_receive_timeout() {
  return take("DATUM_RNR_TIMEOUT", std::getenv("DATUM_RNR_TIMEOUT"), parse_receive_timeout,
              std::optional<Duration>{},
              "milliseconds, at most 4233600000; going on as if it were not set");
}

IaEnvironment read_environment() {
  IaEnvironment found;
  found.strict = strict_mode();
  // A program with more rights than its caller does not let the caller choose for it.
  found.paths = take("DATUM_TRANSPORT", ::secure_getenv("DATUM_TRANSPORT"), parse_paths,
                     AllowedPaths::Every, "auto, shm or tcp; going on as with auto");
  found.ports = take("DATUM_PORT_RANGE", ::secure_getenv("DATUM_PORT_RANGE"), parse_ports,
                     found.ports, "two ports from 1024 to 65535, as in 20000-29999");
  found.receive_timeout = read_receive_timeout();
  found.connect_grace =
      take("DATUM_CONNECT_GRACE", std::getenv("DATUM_CONNECT_GRACE"), parse_short_wait,
           found.connect_grace, "milliseconds, at most 60000; using 50");
  read_tcp(found.tcp);
  return found;
}

} // namespace datum
