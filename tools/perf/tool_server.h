// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/tool_server.h: the passive side of another maker's tool, run by the passive side of
// dat-perf. Lives here: ports for it, waiting until it listens, its end.
#pragma once

#include <memory>

#include "perf/child.h"
#include "perf/message.h"

namespace datum::perf {

class ToolServer {
 public:
  // Returns once it listens. Throws ToolError(Failed) with the tool's last line when it does not.
  ToolServer(const Task& task, const ToolTest& test, Meeting meeting);
  [[nodiscard]] const Meeting& meeting() const { return meeting_; }

 private:
  void await_listening();

  ToolTest test_;
  Meeting meeting_;
  Child child_;
};

// What the active side asks for, as numbers: one of those in tool_tests().
Message to_message(const Task& task, std::size_t test, const Meeting& meeting);
// Throws ToolError(Failed) for what is not that.
std::unique_ptr<ToolServer> tool_server_for(const Message& message);

// Which programs there are, a bit for each.
std::uint64_t installed_programs();
bool is_in(std::uint64_t programs, Program program);

// From the text of /proc/PID/net/tcp or tcp6.
bool listens_in(const std::string& table, std::uint64_t port);

} // namespace datum::perf
