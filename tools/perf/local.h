// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/local.h: the passive side as a child of this process, for --local.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "perf/server.h"

namespace datum::perf {

class LocalServer {
 public:
  // Forks; the child serves one client on that core (-1: any). Before any DAT call.
  LocalServer(const ServerOptions& options, int core);
  ~LocalServer(); // waits for it, kills it if it does not end
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  void await_listening(); // throws what kept it from that
  [[nodiscard]] std::uint64_t port() const { return port_; }

 private:
  std::uint64_t port_ = 0;
  pid_t pid_;
  int from_child_;
};

} // namespace datum::perf
