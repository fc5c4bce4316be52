// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/server.h: "dat-cp serve".
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "common/options.h"
#include "cp/remote_path.h"

namespace datum::cp {

struct ServerOptions {
  tools::CommonOptions common;
  std::string folder;
  std::uint64_t port = kDefaultPort; // 0: any
  bool once = false;
  bool reuse_token = false;
  bool quiet = false;
  std::chrono::seconds timeout{30};
};

tools::ExitCode run_server(const ServerOptions& options);

} // namespace datum::cp
