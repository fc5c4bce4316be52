// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/local.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "common/std_streams.h"
#include "perf/machine.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr int kGoodbye = 3000; // ms

ExitCode serve_once(ServerOptions options, int core, int to_parent) {
  if (core >= 0) pin_to(core);
  options.once = true;
  options.quiet = true; // the parent tells what went wrong
  options.on_listening = [to_parent](std::uint64_t port) {
    if (write(to_parent, &port, sizeof port) != sizeof port)
      throw ToolError(ExitCode::Failed, "the parent process is gone");
  };
  try {
    if (!options.far.netns.empty()) enter(options.far);
    return run_server(options);
  } catch (const ToolError& error) {
    if (error.code() != ExitCode::Interrupted)
      tools::log_line(fmt::format("dat-perf: server side: {}", error.what()));
    return error.code();
  }
}

// True if the process ended in time.
bool ends_within(pid_t pid, int milliseconds) {
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return false;
  pollfd end = {fd, POLLIN, 0};
  const bool ended = ::poll(&end, 1, milliseconds) > 0;
  close(fd);
  return ended;
}

} // namespace

LocalServer::LocalServer(const ServerOptions& options, int core) {
  int channel[2];
  if (pipe(channel) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(channel[0]);
    _exit(static_cast<int>(serve_once(options, core, channel[1])));
  }
  close(channel[1]);
  from_child_ = channel[0];
}

LocalServer::~LocalServer() {
  if (!ends_within(pid_, kGoodbye)) kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  close(from_child_);
}

std::uint64_t LocalServer::port() {
  std::uint64_t port = 0;
  if (read(from_child_, &port, sizeof port) != sizeof port)
    throw ToolError(ExitCode::Usage, "the server side could not be started");
  return port;
}

} // namespace datum::perf
