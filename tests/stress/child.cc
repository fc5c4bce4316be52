// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "child.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

namespace datum::stress {

Child::Child(std::vector<std::string> words) {
  int down[2];
  int up[2];
  MUST(::pipe2(down, O_CLOEXEC) == 0 && ::pipe2(up, O_CLOEXEC) == 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = ::fork();
  MUST(pid_ >= 0);
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(down[0], STDIN_FILENO);
    ::dup2(up[1], STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(down[0]);
  ::close(up[1]);
  to_ = down[1];
  from_ = up[0];
  const std::string line = read_line();
  MUST(line.starts_with("ready "));
  MUST(Target::parse(line.substr(6), target_));
}

Child::~Child() {
  ::close(to_);
  ::close(from_);
}

std::string Child::read_line() {
  std::string line;
  char c = 0;
  while (::read(from_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

void Child::tell(const std::string& line) {
  const std::string whole = line + "\n";
  MUST(::write(to_, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size()));
}

// True also if the child has failed: expect_success() finds out whether it has.
bool Child::is_done() {
  pollfd wanted{from_, POLLIN, 0};
  return ::poll(&wanted, 1, 0) == 1;
}

void Child::kill() {
  MUST(::kill(pid_, SIGKILL) == 0);
  int status = 0;
  MUST(::waitpid(pid_, &status, 0) == pid_);
  // The child may have failed a moment before this kill. Then it has printed why.
  MUST_SEE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, static_cast<unsigned>(status));
}

void Child::expect_success() {
  std::string line = read_line();
  while (line == "enough" || line == "stopped") line = read_line();
  MUST(line.starts_with("done "));
  int status = 0;
  MUST(::waitpid(pid_, &status, 0) == pid_);
  MUST_SEE(WIFEXITED(status) && WEXITSTATUS(status) == 0, static_cast<unsigned>(status));
}

} // namespace datum::stress
