// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/tool_server.h: the server of another maker's tool, run by the passive side of dat-perf.
// Lives here: choosing its ports, waiting until it listens, ending it.
#pragma once

#include <memory>

#include "perf/child.h"
#include "perf/message.h"

namespace datum::perf {

class ToolServer {
 public:
  // Returns when the tool listens. If the tool does not listen, throws ToolError(Failed) with the
  // tool's last line.
  ToolServer(const Task& task, const ToolTest& test, Meeting meeting);
  [[nodiscard]] const Meeting& meeting() const { return meeting_; }

 private:
  void await_listening();

  ToolTest test_;
  Meeting meeting_;
  Child child_;
};

// The request of the active side, as numbers. test: an index into tool_tests().
Message to_message(const Task& task, std::size_t test, const Meeting& meeting);
// Throws ToolError(Failed) if the message is no such request.
std::unique_ptr<ToolServer> tool_server_for(const Message& message);

// A bit for each program that is installed.
std::uint64_t installed_programs();
bool is_in(std::uint64_t programs, Program program);

// table: the text of /proc/PID/net/tcp or tcp6.
bool listens_in(const std::string& table, std::uint64_t port);

} // namespace datum::perf
