// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/process.h: a running program that uses DAT, as /proc shows it without its help, and what its
// IAs answer (report.h). Not here: which of its TCP sockets are DAT's: nothing tells.
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

// Of another user's process most is hidden: what could not be seen is not the same as none.
struct ProcessView {
  pid_t pid = 0;
  std::string command;
  std::optional<std::string> program;
  std::string user;           // numeric uid
  std::string state;          // "S (sleeping)"
  bool mappings_seen = false; // libraries and segments
  std::vector<MappedLibrary> libraries;
  std::vector<SharedSegment> segments;
  bool descriptors_seen = false; // they, what they lead to, and the sockets among them
  // Rendezvous names, "@datum/1/*/5000", and qualifiers mapped to TCP ports, "@datum/q/*/70000".
  std::vector<std::string> listeners;
  std::vector<TcpEnd> tcp_listeners;
  std::vector<TcpConnection> tcp_connections;
  enum class Network : std::uint8_t { Same, Other, Unknown }; // namespace, as that of dat-info
  Network network = Network::Unknown;
  std::optional<std::string> transport; // DATUM_TRANSPORT that it was started with
  std::vector<std::string> direct;      // processes whose memory it reaches by itself
  unsigned accepted = 0;                // named sockets of links that others opened
  bool threads_seen = false;
  std::vector<std::string> threads; // of the library, by name
  std::size_t descriptors = 0;
  std::string descriptor_limit;
  std::vector<IaReport> reports;
  std::vector<std::string> gaps; // what could not be seen, and why
  // Nothing: its mappings could not be seen.
  [[nodiscard]] std::optional<bool> uses_dat() const {
    return mappings_seen ? std::optional(!libraries.empty()) : std::nullopt;
  }
  [[nodiscard]] unsigned links() const; // processes it is linked with, or was until lately
};

// Throws ToolError(Usage) if there is no such process.
ProcessView view_process(pid_t pid);

} // namespace datum::info
