// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/compare.h: runs other makers' tools on the same two sides, right after dat-perf's own
// figure.
// Lives here: which tools are installed, an attempt at each, and the probe before and after it.
// Not here:   command lines (compare_tools.h), the tool's passive side (tool_server.h).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "perf/measure.h"

namespace datum::perf {

class Comparer {
 public:
  // address: the passive side, as a tool gets it on its command line. patience: how long a tool may
  // take. Throws ToolError(Usage) if the server was started without --compare.
  Comparer(Session& session, std::string address, std::chrono::seconds patience);

  std::vector<Comparison> compare(const Result& result, unsigned tries, const Watch& watch);
  // The programs that these tasks need and that one side lacks.
  [[nodiscard]] std::vector<Program> absent(const std::vector<Task>& tasks) const;

 private:
  Comparison attempt(const Result& result, std::size_t index);
  double measure(const Task& task, std::size_t index, const ToolTest& test, Meeting meeting);
  [[nodiscard]] bool has(Program program) const;

  Session& session_;
  std::string address_;
  std::chrono::seconds patience_;
  std::uint64_t here_, there_;
};

} // namespace datum::perf
