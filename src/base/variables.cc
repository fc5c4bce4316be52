// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/variables.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/assertion.h"
#include "base/ignored_values.h"

namespace datum {
namespace {

// Lower ports may need a privilege. Datum never chooses among them: the consumer has to name such a
// port.
constexpr std::uint16_t kLowestChosen = 1024;

constexpr std::uint64_t kMinute = 60'000, kDay = 86'400'000; // milliseconds
constexpr std::uint64_t kLongestWait = 4'233'600'000;        // 49 days

constexpr std::array kTable = {
    VariableInfo{.variable = Variable::Alias,
                 .name = "DATUM_ALIAS",
                 .syntax = Syntax::Aliases,
                 .needs_trust = true,
                 .empty_is_unset = true,
                 .expected = "NAME=IA,..., as in ib0=datum",
                 .instead = "what is not of that form is ignored"},
    VariableInfo{.variable = Variable::Log,
                 .name = "DATUM_LOG",
                 .syntax = Syntax::Word,
                 .empty_is_unset = true,
                 .words = {"warn", "info", "debug", "trace"},
                 .expected = "warn, info, debug or trace",
                 .instead = "going on as with warn"},
    VariableInfo{.variable = Variable::PortRange,
                 .name = "DATUM_PORT_RANGE",
                 .syntax = Syntax::Ports,
                 .needs_trust = true,
                 .expected = "two ports from 1024 to 65535, as in 20000-29999",
                 .instead = "going on as if it were not set"},
    VariableInfo{.variable = Variable::Crc,
                 .name = "DATUM_CRC",
                 .syntax = Syntax::Word,
                 .needs_trust = true,
                 .words = {"auto", "on", "off"},
                 .expected = "auto, on or off",
                 .instead = "going on as with auto"},
    VariableInfo{.variable = Variable::Hello,
                 .name = "DATUM_HELLO",
                 .syntax = Syntax::Word,
                 .needs_trust = true,
                 .words = {"off", "on"},
                 .expected = "on or off",
                 .instead = "going on as with on"},
    // At least a second: TCP counts its probes in seconds, and resends lost octets only after some
    // tenths of a second.
    VariableInfo{.variable = Variable::PeerTimeout,
                 .name = "DATUM_PEER_TIMEOUT",
                 .syntax = Syntax::Number,
                 .least = 1000,
                 .most = kDay,
                 .expected = "milliseconds, 1000 to 86400000",
                 .instead = "using 30000"},
    VariableInfo{.variable = Variable::ConnectGrace,
                 .name = "DATUM_CONNECT_GRACE",
                 .syntax = Syntax::Number,
                 .most = kMinute,
                 .expected = "milliseconds, at most 60000",
                 .instead = "using 50"},
    // At least 1: with 0 no peer could connect, and no last message of a peer would be read.
    VariableInfo{.variable = Variable::HalfOpen,
                 .name = "DATUM_HALF_OPEN",
                 .syntax = Syntax::Number,
                 .least = 1,
                 .most = 65536,
                 .expected = "a number from 1 to 65536",
                 .instead = "using 512"},
    VariableInfo{.variable = Variable::RequestTimeout,
                 .name = "DATUM_REQUEST_TIMEOUT",
                 .syntax = Syntax::Number,
                 .least = 1000,
                 .most = kDay,
                 .expected = "milliseconds, 1000 to 86400000",
                 .instead = "using 10000"},
    VariableInfo{.variable = Variable::FirstFrameTimeout,
                 .name = "DATUM_FIRST_FRAME_TIMEOUT",
                 .syntax = Syntax::Number,
                 .least = 1000,
                 .most = kDay,
                 .expected = "milliseconds, 1000 to 86400000",
                 .instead = "using 60000"},
    VariableInfo{.variable = Variable::Unreceived,
                 .name = "DATUM_UNRECEIVED",
                 .syntax = Syntax::Number,
                 .least = 4096,
                 .most = 16777216,
                 .expected = "octets, 4096 to 16777216",
                 .instead = "using 65536"},
    // No more than one turn of a connection (docs/design/tcp.md).
    VariableInfo{.variable = Variable::ReadSize,
                 .name = "DATUM_READ_SIZE",
                 .syntax = Syntax::Number,
                 .least = 4096,
                 .most = 262144,
                 .expected = "octets, 4096 to 262144",
                 .instead = "using 65536"},
    VariableInfo{.variable = Variable::Unsent,
                 .name = "DATUM_UNSENT",
                 .syntax = Syntax::Number,
                 .least = 4096,
                 .most = 16777216,
                 .expected = "octets, 4096 to 16777216",
                 .instead = "using 1048576 within a host, 262144 to others"},
    VariableInfo{.variable = Variable::EndTimeout,
                 .name = "DATUM_END_TIMEOUT",
                 .syntax = Syntax::Number,
                 .least = 1000,
                 .most = kDay,
                 .expected = "milliseconds, 1000 to 86400000",
                 .instead = "using 5000"},
    VariableInfo{.variable = Variable::CloseTimeout,
                 .name = "DATUM_CLOSE_TIMEOUT",
                 .syntax = Syntax::Number,
                 .most = kMinute,
                 .expected = "milliseconds, at most 60000",
                 .instead = "using 1000"},
    VariableInfo{.variable = Variable::Ending,
                 .name = "DATUM_ENDING",
                 .syntax = Syntax::Number,
                 .least = 1,
                 .most = 65536,
                 .expected = "a number from 1 to 65536",
                 .instead = "using 1024"},
    VariableInfo{.variable = Variable::RnrTimeout,
                 .name = "DATUM_RNR_TIMEOUT",
                 .syntax = Syntax::Number,
                 .most = kLongestWait,
                 .expected = "milliseconds, at most 4233600000",
                 .instead = "going on as if it were not set"},
    VariableInfo{.variable = Variable::Strict,
                 .name = "DATUM_STRICT",
                 .syntax = Syntax::Word,
                 .needs_trust = true,
                 .words = {"off", "on"},
                 .expected = "on or off",
                 .instead = "going on as with off"},
    VariableInfo{.variable = Variable::Transport,
                 .name = "DATUM_TRANSPORT",
                 .syntax = Syntax::Word,
                 .needs_trust = true,
                 .words = {"auto", "shm", "tcp"},
                 .expected = "auto, shm or tcp",
                 .instead = "going on as with auto"},
    VariableInfo{.variable = Variable::ConfFile,
                 .name = "DAT_OVERRIDE",
                 .syntax = Syntax::Path,
                 .needs_trust = true,
                 .empty_is_unset = true,
                 .expected = "the name of a dat.conf",
                 .instead = "only built-in IAs are offered"},
    VariableInfo{.variable = Variable::DebugMask,
                 .name = "DAT_DBG_TYPE",
                 .syntax = Syntax::Mask,
                 .needs_trust = true,
                 .empty_is_unset = true,
                 .expected = "a mask of 32 bits, such as 0xff",
                 .instead = "going on as if it were not set"},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i != kTable.size(); ++i)
    if (static_cast<std::size_t>(kTable[i].variable) != i) return false;
  return true;
}
static_assert(is_in_order(), "about() takes the place for the variable");
static_assert(kTable.size() == kVariables, "each variable has its memory of what was told");

// The number, if the text has digits and nothing else.
template <class T>
std::optional<T> digits(std::string_view text, int base = 10) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool are_aliases(std::string_view text) {
  bool good = true;
  each_alias(text, [&](std::string_view part) { good = good && parse_alias(part); });
  return good;
}

// Calls `parse` with the value. A value that `parse` does not understand is logged.
template <class Parse>
auto read(Variable variable, Parse&& parse) -> decltype(parse(std::string_view())) {
  const char* const text = value_of(variable);
  if (text == nullptr) {
    forget_ignored(variable);
    return std::nullopt;
  }
  const auto value = parse(std::string_view(text));
  if (value)
    forget_ignored(variable);
  else
    tell_ignored(variable, text);
  return value;
}

} // namespace

std::span<const VariableInfo> variables() {
  return kTable;
}

const VariableInfo& about(Variable variable) {
  return kTable[static_cast<std::size_t>(variable)];
}

std::optional<std::size_t> parse_word(Variable variable, std::string_view text) {
  const VariableInfo& info = about(variable);
  DATUM_ASSERT(info.syntax == Syntax::Word);
  const auto found = std::find(info.words.begin(), info.words.end(), text);
  if (text.empty() || found == info.words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - info.words.begin());
}

std::optional<std::uint64_t> parse_number(Variable variable, std::string_view text) {
  const VariableInfo& info = about(variable);
  DATUM_ASSERT(info.syntax == Syntax::Number);
  const auto value = digits<std::uint64_t>(text);
  return value && *value >= info.least && *value <= info.most ? value : std::nullopt;
}

std::optional<PortRange> parse_ports(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto low = digits<std::uint16_t>(text.substr(0, dash));
  const auto high = digits<std::uint16_t>(text.substr(dash + 1));
  if (!low || !high || *low < kLowestChosen || *low > *high) return std::nullopt;
  return PortRange{*low, *high};
}

std::optional<std::uint32_t> parse_mask(std::string_view text) {
  // Accepts the number bases of C, as other libdats do, and -1, the usual way to write
  // "everything".
  if (text == "-1") return ~std::uint32_t{0};
  if (text.starts_with("0x") || text.starts_with("0X"))
    return digits<std::uint32_t>(text.substr(2), 16);
  return digits<std::uint32_t>(text, text.starts_with('0') ? 8 : 10);
}

std::optional<std::pair<std::string_view, std::string_view>> parse_alias(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size())
    return std::nullopt;
  return std::pair(part.substr(0, equals), part.substr(equals + 1));
}

bool is_understood(Variable variable, std::string_view text) {
  const VariableInfo& info = about(variable);
  if (text.empty() && info.empty_is_unset) return true;
  switch (info.syntax) {
  case Syntax::Word: return parse_word(variable, text).has_value();
  case Syntax::Number: return parse_number(variable, text).has_value();
  case Syntax::Ports: return parse_ports(text).has_value();
  case Syntax::Aliases: return are_aliases(text);
  case Syntax::Mask: return parse_mask(text).has_value();
  case Syntax::Path: return true;
  }
  return false;
}

const char* value_of(Variable variable) {
  const VariableInfo& info = about(variable);
  const char* const text = info.needs_trust ? ::secure_getenv(info.name) : std::getenv(info.name);
  if (text != nullptr && *text == '\0' && info.empty_is_unset) return nullptr;
  return text;
}

std::optional<std::size_t> read_word(Variable variable) {
  return read(variable, [&](std::string_view text) { return parse_word(variable, text); });
}

std::optional<std::uint64_t> read_number(Variable variable) {
  return read(variable, [&](std::string_view text) { return parse_number(variable, text); });
}

std::optional<PortRange> read_ports(Variable variable) {
  DATUM_ASSERT(about(variable).syntax == Syntax::Ports);
  return read(variable, parse_ports);
}

std::optional<std::uint32_t> read_mask(Variable variable) {
  DATUM_ASSERT(about(variable).syntax == Syntax::Mask);
  return read(variable, parse_mask);
}

} // namespace datum
