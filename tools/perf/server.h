// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/server.h: the passive side.
// Lives here: accepting clients, one at a time, and doing what they ask. Not here: the loops.
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
  std::uint64_t port = 0;           // 0: any free one
  bool once = false;                // ends after one client
  std::chrono::seconds timeout{10}; // for the first word of a client that has connected
  bool quiet = false;
  bool compare = false;                                 // may run the servers of other tools
  FarSide far;                                          // where the child of --local runs
  Probe* probe = nullptr;                               // shared with the client's process
  std::function<void(std::uint64_t port)> on_listening; // instead of the line on stdout
};

tools::ExitCode run_server(const ServerOptions& options);

} // namespace datum::perf
