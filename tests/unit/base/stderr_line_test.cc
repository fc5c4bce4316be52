// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum.7, SIGNALS: a line to stderr never raises SIGPIPE. Each body runs in a child process, whose
// stderr cannot be written to.
#include "base/stderr_line.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

namespace datum {
namespace {

void use_closed_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) std::abort();
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[0]);
  ::close(ends[1]);
}

void use_full_file() {
  ::dup2(::fileno(std::tmpfile()), STDERR_FILENO);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_FSIZE, &none);
}

bool pending(int signal) {
  sigset_t set;
  ::sigpending(&set);
  return ::sigismember(&set, signal) == 1;
}

void block(int signal) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

TEST(StderrLine, AClosedPipeDoesNotEndTheProgram) {
  const auto body = [] {
    use_closed_pipe();
    log(LogLevel::Warn, "a line that nobody reads");
    log_out_of_memory();
    std::_Exit(7);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

TEST(StderrLine, AFullFileDoesNotEndTheProgram) {
  const auto body = [] {
    use_full_file();
    write_to_stderr("a line that has no place");
    std::_Exit(7);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

TEST(StderrLine, LeavesNothingPendingForAProgramThatBlocksTheSignal) {
  const auto body = [] {
    use_closed_pipe();
    block(SIGPIPE);
    write_to_stderr("a line");
    std::_Exit(pending(SIGPIPE) ? 1 : 7);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

TEST(StderrLine, KeepsASignalThatWasPendingBefore) {
  const auto body = [] {
    use_closed_pipe();
    block(SIGPIPE);
    ::raise(SIGPIPE);
    write_to_stderr("a line");
    std::_Exit(pending(SIGPIPE) ? 7 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

TEST(StderrLine, LeavesErrnoAlone) {
  const auto body = [] {
    use_closed_pipe();
    errno = EXDEV;
    write_to_stderr("a line");
    std::_Exit(errno == EXDEV ? 7 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

} // namespace
} // namespace datum
