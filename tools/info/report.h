// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/report.h: the reports of a running program about its open IAs.
// Lives here: the inquiry, over the socket that each IA has for it, and the answer as values.
// Not here:   finding the socket (process.h), the form of the answer (provider/report.h).
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

// A leniency, which default mode permits and DATUM_STRICT=on refuses, and how often the program
// used it.
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

// nullopt: the text does not have the form of this version.
std::optional<IaReport> parse_report(std::string_view text);

struct Answer {
  std::optional<IaReport> report;
  std::string gap; // why there is no report
};
// A process may claim any number of IAs and send any answer, so both are bounded.
inline constexpr std::size_t kMostAsked = 64;
inline constexpr std::size_t kMostOctets = 16 * 1024 * 1024; // of all answers together
// Sends an inquiry to all IAs at the same time and waits for at most two seconds in total. names:
// "@datum-info/0123456789abcdef", as in /proc/PID/net/unix.
std::vector<Answer> ask(const std::vector<std::string>& names);

} // namespace datum::info
