// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// filtered_command.h: runs a command under a filter that refuses it some system calls.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "tests/filter.h"

namespace datum::test {

// How the program, words[0], ended and what it wrote. Without a value if filters cannot be had.
// forbid: installs the filters, and returns whether it could.
inline std::optional<Ended> run_filtered(const std::function<bool()>& forbid,
                                         std::vector<std::string> words) {
  constexpr int kNoFilter = 77;
  int output[2];
  if (pipe(output) != 0) throw std::runtime_error("pipe");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(output[0]);
    dup2(output[1], STDOUT_FILENO);
    dup2(output[1], STDERR_FILENO);
    if (forbid()) execv(arguments[0], arguments.data());
    _exit(kNoFilter);
  }
  close(output[1]);
  Ended ended;
  std::array<char, 4096> part = {};
  for (ssize_t n = 0; (n = read(output[0], part.data(), part.size())) > 0;)
    ended.output.append(part.data(), static_cast<std::size_t>(n));
  close(output[0]);
  int status = -1;
  waitpid(child, &status, 0);
  ended.code = exit_code(status);
  return ended.code == kNoFilter ? std::nullopt : std::optional(ended);
}

// The same where that call fails with `error`.
inline std::optional<Ended> run_without(std::uint32_t call, std::vector<std::string> words,
                                        int error = EPERM) {
  return run_filtered([=] { return forbid_call(call, error); }, std::move(words));
}

} // namespace datum::test
