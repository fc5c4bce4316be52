// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/process.h: a running program that uses DAT, as /proc shows it without its help, and what its
// IAs answer (report.h). Not here: which of its TCP sockets are DAT's: nothing tells.
#pragma once

#include <cstdint>
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

struct ProcessView {
  pid_t pid = 0;
  std::string command, program;
  std::string user;  // numeric uid
  std::string state; // "S (sleeping)"
  std::vector<MappedLibrary> libraries;
  std::vector<SharedSegment> segments;
  // Rendezvous names, "@datum/1/*/5000", and qualifiers mapped to TCP ports, "@datum/q/*/70000".
  std::vector<std::string> listeners;
  std::vector<TcpEnd> tcp_listeners;
  std::vector<TcpConnection> tcp_connections;
  enum class Network : std::uint8_t { Same, Other, Unknown }; // namespace, as that of dat-info
  Network network = Network::Unknown;
  std::string transport; // DATUM_TRANSPORT that it was started with
  bool sockets_seen = false;
  std::vector<std::string> direct;  // processes whose memory it reaches by itself
  unsigned accepted = 0;            // named sockets of links that others opened
  std::vector<std::string> threads; // of the library, by name
  std::size_t descriptors = 0;
  std::string descriptor_limit;
  std::vector<IaReport> reports;
  std::vector<std::string> gaps; // what could not be seen, and why
  [[nodiscard]] bool uses_dat() const { return !libraries.empty(); }
  [[nodiscard]] unsigned links() const; // processes it is linked with, or was until lately
};

// Throws ToolError(Usage) if there is no such process.
ProcessView view_process(pid_t pid);

} // namespace datum::info
