// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/report.h: what a running program says about its open IAs when it is asked.
// Lives here: asking, over the socket that each of them has for that, and the answer as values.
// Not here:   finding the socket (process.h). The answer's form is that of provider/report.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum::info {

inline constexpr std::string_view kInquiryName = "@datum-info/";

struct Fill {
  std::uint64_t held = 0;
  std::uint64_t most = 0;
};

struct Moved {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct EndpointReport {
  std::uint64_t number = 0;
  std::string state, path, peer, port, reason; // empty: none
  Moved posted, received;
  Fill requests, recvs;
  std::uint64_t stalls = 0;
};

struct EvdReport {
  std::uint64_t number = 0;
  std::uint64_t streams = 0; // DAT_EVD_FLAGS
  Fill events;
  std::uint64_t completions = 0, waits = 0;
};

// What the default lets pass and the letter of the manual refuses: how often it was used.
struct LeniencyReport {
  std::string name;
  std::uint64_t uses = 0;
};

struct IaReport {
  std::string name;
  std::vector<LeniencyReport> leniencies;
  std::vector<EndpointReport> endpoints;
  std::vector<EvdReport> evds;
};

// nullopt: it is not what a program of this version says.
std::optional<IaReport> parse_report(std::string_view text);

struct Answer {
  std::optional<IaReport> report;
  std::string gap; // why there is none
};
// A process may claim any number of IAs, and answer what it likes.
inline constexpr std::size_t kMostAsked = 64;
inline constexpr std::size_t kMostOctets = 16 * 1024 * 1024; // of all answers together
// Asks all at once, and waits for two seconds in all. names: "@datum-info/0123456789abcdef", as
// /proc/PID/net/unix shows them.
std::vector<Answer> ask(const std::vector<std::string>& names);

} // namespace datum::info
