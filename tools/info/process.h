// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/process.h: a running program that uses DAT: what /proc shows about it, and the reports of
// its IAs (report.h). Nothing shows which of its TCP sockets belong to DAT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "info/report.h"
#include "info/sockets.h"

namespace datum::info {

struct MappedLibrary {
  std::string path;
  bool replaced = false; // the file was deleted or replaced since the program loaded it
};

struct SharedSegment {
  std::string name; // "datum-link"
  unsigned count = 0;
  std::uint64_t bytes = 0;
};

inline constexpr std::string_view kMappedQualifier = "@datum/q/";

// /proc hides most about a process of another user. The members *_seen distinguish "could not be
// seen" from "there is none".
struct ProcessView {
  pid_t pid = 0;
  std::string command;
  std::optional<std::string> program;
  std::string user;           // numeric uid
  std::string state;          // "S (sleeping)"
  bool mappings_seen = false; // true: `libraries` and `segments` are known
  std::vector<MappedLibrary> libraries;
  std::vector<SharedSegment> segments;
  // The descriptors, their targets and the sockets among them are known.
  bool descriptors_seen = false;
  // Rendezvous names, "@datum/1/*/5000", and qualifiers mapped to TCP ports, "@datum/q/*/70000".
  std::vector<std::string> listeners;
  std::vector<TcpEnd> tcp_listeners;
  std::vector<TcpConnection> tcp_connections;
  // The network namespace, compared with that of dat-info.
  enum class Network : std::uint8_t { Same, Other, Unknown };
  Network network = Network::Unknown;
  std::optional<std::string> transport; // DATUM_TRANSPORT at its start
  std::vector<std::string> direct;      // processes whose memory it accesses directly
  unsigned accepted = 0;                // links that the peer opened, by their named sockets
  bool threads_seen = false;
  std::vector<std::string> threads; // the names of the library's threads
  std::size_t descriptors = 0;
  std::string descriptor_limit;
  std::vector<IaReport> reports;
  std::vector<std::string> gaps; // what could not be seen, with the reason
  // Empty: its mappings could not be seen.
  [[nodiscard]] std::optional<bool> uses_dat() const {
    return mappings_seen ? std::optional(!libraries.empty()) : std::nullopt;
  }
  // Processes with which it has a link, or had one until lately.
  [[nodiscard]] unsigned links() const;
};

// Throws ToolError(Usage) if there is no such process.
ProcessView view_process(pid_t pid);

} // namespace datum::info
