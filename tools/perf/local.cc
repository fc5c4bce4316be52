// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/local.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "common/memory_fd.h"
#include "common/std_streams.h"
#include "perf/child_end.h"
#include "perf/fork.h"
#include "perf/machine.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr std::chrono::milliseconds kGoodbye(3000);

// The server side writes such a word into the pipe: the port on which it listens, or why it does
// not listen.
struct Word {
  std::uint64_t port = 0; // 0: it does not listen
  ExitCode code = ExitCode::Failed;
  std::array<char, 480> why = {};
};
static_assert(sizeof(Word) <= PIPE_BUF, "it is written in one piece");

// Holds back the lines that the server side logs while it opens the adapter. The parent opens the
// same adapter later and logs the same lines. So the held lines are shown only if the server side
// fails, and dropped if it listens.
class HeldBackLog {
 public:
  HeldBackLog()
      : held_(tools::make_memory_fd("log of the server side")),
        shown_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) {
    if (held_ && shown_) dup2(held_.get(), STDERR_FILENO);
  }
  ~HeldBackLog() {
    if (!held_ || !shown_) return; // dropped, or never held back
    dup2(shown_.get(), STDERR_FILENO);
    std::array<char, 4096> part = {};
    lseek(held_.get(), 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(held_.get(), part.data(), part.size())) > 0;)
      if (write(STDERR_FILENO, part.data(), static_cast<std::size_t>(n)) != n) break;
  }
  HeldBackLog(const HeldBackLog&) = delete;
  HeldBackLog& operator=(const HeldBackLog&) = delete;
  void drop() {
    if (held_ && shown_) dup2(shown_.get(), STDERR_FILENO);
    held_ = UniqueFd();
    shown_ = UniqueFd();
  }

 private:
  UniqueFd held_, shown_;
};

ExitCode serve_once(ServerOptions options, int core, int to_parent) {
  if (core >= 0) pin_to(core, kAdviceOfLocal);
  options.once = true;
  options.quiet = true; // the parent reports errors
  // Ctrl-C goes to both processes. The parent handles it; the server side ends with its connection
  // to the parent.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  bool listens = false;
  std::optional<HeldBackLog> log;
  // In another namespace the adapter has warnings of its own. If the user asked for a log, both
  // sides write one.
  if (options.far.netns.empty() && std::getenv("DATUM_LOG") == nullptr) log.emplace();
  options.on_listening = [&](std::uint64_t port) {
    if (log) log->drop();
    const Word word{port, ExitCode::Ok, {}};
    if (write(to_parent, &word, sizeof word) != sizeof word)
      throw ToolError(ExitCode::Failed, "the parent process is gone");
    listens = true;
  };
  try {
    if (!options.far.netns.empty()) enter(options.far);
    return run_server(options);
  } catch (const ToolError& error) {
    log.reset();
    Word word{0, error.code(), {}};
    std::strncpy(word.why.data(), error.what(), word.why.size() - 1);
    if (listens || write(to_parent, &word, sizeof word) != sizeof word)
      tools::log_line(fmt::format("dat-perf: server side: {}", error.what()));
    return error.code();
  }
}

} // namespace

LocalServer::LocalServer(const ServerOptions& options, int core) {
  int channel[2];
  if (pipe(channel) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  pid_ = fork_into("the server side");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(channel[0]);
    _exit(static_cast<int>(serve_once(options, core, channel[1])));
  }
  close(channel[1]);
  from_child_ = channel[0];
}

LocalServer::~LocalServer() {
  if (!ChildEnd(pid_).comes_within(kGoodbye)) kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  close(from_child_);
}

void LocalServer::await_listening() {
  Word word;
  if (read(from_child_, &word, sizeof word) != sizeof word)
    throw ToolError(ExitCode::Usage, "the server side could not be started");
  if (word.port == 0) throw ToolError(word.code, fmt::format("server side: {}", word.why.data()));
  port_ = word.port;
}

} // namespace datum::perf
