// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "common/interrupt.h"
#include "common/memory_fd.h"
#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

// close_range(2). The number is the same on every architecture; the C library's headers may be
// older than the call.
constexpr long kCloseRange = 436;
constexpr off_t kMostOutput = 64 * 1024;
constexpr auto kSlice = std::chrono::milliseconds(100); // between checks for Ctrl-C

ToolError failed(const std::string& what) {
  return {ExitCode::Failed, fmt::format("{}: {}", what, std::strerror(errno))};
}

// A file in memory that cannot grow. Nothing has to drain it while the program runs, and a program
// that prints without end gets an error when the file is full.
UniqueFd make_output() {
  UniqueFd file = tools::make_memory_fd("output of a tool");
  if (!file || ftruncate(file.get(), kMostOutput) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0)
    throw failed("memory for the output of a tool");
  return file;
}

std::vector<std::string> environment_with(const Command& command) {
  auto added = command.environment;
  added.emplace_back("LC_ALL", "C"); // numbers with a decimal point
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::none_of(added.begin(), added.end(), [&](const auto& a) { return a.first == name; }))
      environment.emplace_back(text);
  }
  for (const auto& [name, value] : added) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Before Linux 5.9 the loop closes one descriptor after another. It runs in the forked child of a
// process with threads, so it makes system calls only.
void close_all_but_streams() {
  constexpr int kFirst = STDERR_FILENO + 1;
  if (syscall(kCloseRange, static_cast<unsigned>(kFirst), ~0U, 0U) == 0) return;
  rlimit most = {};
  if (getrlimit(RLIMIT_NOFILE, &most) != 0) return;
  for (rlim_t fd = kFirst; fd < most.rlim_cur; ++fd) close(static_cast<int>(fd));
}

// Runs in the forked child of a process with threads, so it makes system calls only.
[[noreturn]] void become(const char* program, char* const* words, char* const* environment,
                         int nothing, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);            // a server ignores SIGPIPE, and a program inherits that
  if (getppid() != parent) _exit(126); // the parent ended before prctl(2)
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_all_but_streams();
  execve(program, words, environment);
  _exit(127);
}

} // namespace

std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t colon = std::min(folders.find(':', at), folders.size());
    std::string file = folders.substr(at, colon - at) + "/" + name;
    if (colon > at && file.front() == '/' && access(file.c_str(), X_OK) == 0) return file;
    at = colon + 1;
  }
  return {};
}

Child::Child(const Command& command, std::chrono::milliseconds to_end)
    : to_end_(to_end), output_(make_output()) {
  const std::string program = find_program(command.words.at(0));
  if (program.empty())
    throw ToolError(ExitCode::Failed, fmt::format("{} is not installed", command.words[0]));
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw failed("/dev/null");
  std::vector<std::string> words = command.words, environment = environment_with(command);
  const std::vector<char*> argv = pointers_to(words), envp = pointers_to(environment);
  const pid_t self = getpid();
  pid_ = fork();
  if (pid_ < 0) throw failed("fork");
  if (pid_ == 0)
    become(program.c_str(), argv.data(), envp.data(), nothing.get(), output_.get(), self);
  setpgid(pid_, pid_); // both parent and child call it: either may be the first
  end_.emplace(pid_);
}

// A program that is killed cannot remove what it has made, such as files in /dev/shm. So it is
// asked to end first. The kernel does not reuse the number of a process group until the group's
// first process is reaped.
Child::~Child() {
  kill(-pid_, SIGTERM);
  static_cast<void>(end_->comes_within(to_end_));
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Child::wait(tools::Deadline deadline) {
  for (;;) {
    tools::throw_if_interrupted();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - tools::Deadline::clock::now());
    const auto slice =
        std::clamp<std::chrono::milliseconds>(left, std::chrono::milliseconds(0), kSlice);
    if (end_->comes_within(slice)) return true;
    if (left <= std::chrono::milliseconds(0)) return false;
  }
}

std::string Child::failure() const {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return "it has not ended";
  if (info.si_code != CLD_EXITED) return fmt::format("ended by signal {}", info.si_status);
  return info.si_status == 0 ? "" : fmt::format("exit {}", info.si_status);
}

std::string Child::output() const {
  const off_t written = std::min(lseek(output_.get(), 0, SEEK_CUR), kMostOutput);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, written)), '\0');
  const ssize_t n = pread(output_.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
  return text;
}

} // namespace datum::perf
