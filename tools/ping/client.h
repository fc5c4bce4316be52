// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/client.h: connects, sends, checks the answers, and sums up.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <sys/socket.h>

#include "common/tool_error.h"
#include "ping/server.h"

namespace datum::ping {

struct ClientOptions {
  std::string ia = "datum";
  std::string host;
  int family = AF_UNSPEC; // the family of the host's address
  std::uint64_t port = kDefaultPort;
  std::uint64_t count = 0; // 0: until interrupted
  std::uint64_t size = 56;
  std::chrono::microseconds interval{1'000'000};
  std::chrono::milliseconds timeout{5'000};
  bool poll = false; // poll for the answer instead of blocking
  bool json = false;
  bool quiet = false; // only the summary
  bool verbose = false;
};

tools::ExitCode run_client(const ClientOptions& options);

} // namespace datum::ping
