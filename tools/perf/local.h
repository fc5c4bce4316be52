// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/local.h: the passive side as a child of this process, for --local.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "perf/server.h"

namespace datum::perf {

class LocalServer {
 public:
  // Forks. The child serves one client on `core` (-1: any). Must be called before any DAT call.
  LocalServer(const ServerOptions& options, int core);
  ~LocalServer(); // waits for the child, kills it if it does not end
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  void await_listening(); // throws the child's error if it does not listen
  [[nodiscard]] std::uint64_t port() const { return port_; }

 private:
  std::uint64_t port_ = 0;
  pid_t pid_;
  int from_child_;
};

} // namespace datum::perf
