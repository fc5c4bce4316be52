// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/memory/child.h: running a piece of a test in a child process.
// Lives here: fork and wait, programs, one-byte signals between parent and child.
#pragma once

#include <cstddef>
#include <functional>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" char** environ;

namespace datum::test {

inline constexpr std::size_t kMiB = std::size_t{1} << 20;

// Runs the body in a child process. The exit code is what the body returns: 0 if everything is
// right, and a different number for each mistake.
inline pid_t start_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

// Returns the exit code, or 1000 + the signal that ended the child.
inline int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

inline int in_child(const std::function<int()>& body) {
  return wait_for(start_child(body));
}

inline pid_t spawn(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  return posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0
             ? child
             : -1;
}

class Signal {
 public:
  Signal() {
    if (pipe(ends_) != 0) _exit(250);
  }
  ~Signal() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  bool raise() { return write(ends_[1], "x", 1) == 1; }
  bool await() {
    char byte = 0;
    return read(ends_[0], &byte, 1) == 1;
  }

 private:
  int ends_[2] = {-1, -1};
};

} // namespace datum::test
