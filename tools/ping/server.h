// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/server.h: answers every message of any number of clients with the same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "common/tool_error.h"

namespace datum::ping {

inline constexpr std::uint64_t kDefaultPort = 5213;

struct ServerOptions {
  std::string ia = "datum";
  std::uint64_t port = kDefaultPort; // 0: any free port
  bool quiet = false;
  bool verbose = false;
};

tools::ExitCode run_server(const ServerOptions& options);

} // namespace datum::ping
