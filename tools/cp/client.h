// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/client.h: "dat-cp put" and "dat-cp get".
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "cp/protocol.h"

namespace datum::cp {

struct ClientOptions {
  tools::CommonOptions common;
  Direction direction{};
  Mode mode = Mode::Copy;
  Method method = Method::Write;
  std::vector<std::string> paths;   // as the user typed them, the destination last
  std::optional<std::string> token; // nothing: DAT_CP_TOKEN has the token
  std::uint32_t chunk_size = 1U << 20, depth = 8;
  std::chrono::seconds timeout{30};
  bool quiet = false;
  bool compare = false; // --checksum
};

tools::ExitCode run_client(const ClientOptions& options);

} // namespace datum::cp
