// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/server.h: the passive side.
// Lives here: accepting clients, one at a time, and answering their messages.
// Not here:   the loops (runs.h).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "common/tool_error.h"
#include "perf/far_side.h"
#include "perf/probe.h"

namespace datum::perf {

struct ServerOptions {
  std::string ia = "datum";
  std::uint64_t port = 0;           // 0: any free port
  bool once = false;                // ends after one client
  std::chrono::seconds timeout{10}; // for the first message of a client that has connected
  bool quiet = false;
  bool compare = false; // may run the servers of other tools
  // The namespace in which the child of --local runs.
  FarSide far;
  Probe* probe = nullptr; // shared with the client's process
  // Called instead of printing the line on stdout.
  std::function<void(std::uint64_t port)> on_listening;
};

tools::ExitCode run_server(const ServerOptions& options);

} // namespace datum::perf
