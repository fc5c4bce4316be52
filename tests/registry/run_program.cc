// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "run_program.h"

#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

// The output of these programs fits into a pipe. So the two pipes can be read one after the other.
std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

} // namespace

Ran run_program(const std::vector<std::string>& command,
                const std::vector<std::string>& environment) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environment;
  for (char** v = environ; *v != nullptr; ++v)
    if (!std::string_view(*v).starts_with("DAT")) variables.emplace_back(*v);

  int out[2];
  int err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  for (const int fd : {out[0], out[1], err[0], err[1]})
    ::posix_spawn_file_actions_addclose(&actions, fd);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, arguments[0].c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  Ran ran{-1, read_all(out[0]), read_all(err[0])};
  int status = 0;
  if (failed == 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status))
    ran.status = WEXITSTATUS(status);
  return ran;
}
