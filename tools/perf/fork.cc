// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/fork.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::perf {

pid_t fork_into(const char* what) {
  const pid_t pid = fork();
  if (pid >= 0) return pid;
  const int error = errno;
  throw tools::ToolError(
      tools::ExitCode::Usage,
      fmt::format("{} cannot be started: {}{}", what, std::strerror(error),
                  error == EAGAIN ? " (`ulimit -u` shows how many processes and threads the user "
                                    "may have; the control group has a limit, too, pids.max)"
                                  : ""));
}

} // namespace datum::perf
