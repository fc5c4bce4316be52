// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A child process of a test. The test reads the child's lines as they come and waits for its end.
// The child ends when a test fails.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace datum::cp::test {

class Program {
 public:
  // in_child runs between fork and exec: limits, another user.
  explicit Program(const std::vector<std::string>& arguments,
                   const std::function<void()>& in_child = {}) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) run(arguments, in_child, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    out_.fd = UniqueFd(out[0]);
    err_.fd = UniqueFd(err[0]);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ <= 0) return;
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // The next line of stdout. Throws if there is none.
  std::string line() {
    for (;;) {
      if (const std::size_t end = out_.text.find('\n', out_.taken); end != std::string::npos) {
        std::string text = out_.text.substr(out_.taken, end - out_.taken);
        out_.taken = end + 1;
        return text;
      }
      if (!pump()) throw std::runtime_error("no more output; stderr: " + err_.text);
    }
  }
  // The rest of the first line that begins with `prefix`.
  std::string line_after(const std::string& prefix) {
    for (;;)
      if (const std::string text = line(); text.starts_with(prefix))
        return text.substr(prefix.size());
  }

  // The exit code, or minus the signal that ended it.
  int wait() {
    while (pump()) continue;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& out() const { return out_.text; }
  [[nodiscard]] const std::string& err() const { return err_.text; }

 private:
  struct Stream {
    UniqueFd fd;
    std::string text;
    std::size_t taken = 0;
  };

  [[noreturn]] static void run(const std::vector<std::string>& arguments,
                               const std::function<void()>& in_child, int out, int err) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    unsetenv("DAT_CP_TOKEN");
    if (in_child) in_child();
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  // Reads what both streams have so far. Returns false once both have ended.
  bool pump() {
    pollfd fds[2] = {{out_.fd.get(), POLLIN, 0}, {err_.fd.get(), POLLIN, 0}};
    if (!out_.fd && !err_.fd) return false;
    // A bound, not an expectation: a program that hangs must not hang the test.
    if (poll(fds, 2, 90'000) <= 0)
      throw std::runtime_error("the program says nothing and does not end");
    if (fds[0].revents != 0) take(out_);
    if (fds[1].revents != 0) take(err_);
    return true;
  }
  static void take(Stream& stream) {
    char buffer[4096];
    const ssize_t n = read(stream.fd.get(), buffer, sizeof buffer);
    if (n > 0)
      stream.text.append(buffer, static_cast<std::size_t>(n));
    else
      stream.fd = UniqueFd();
  }

  pid_t pid_ = -1;
  Stream out_, err_;
};

// A dat-cp server, and what a user reads in its output.
class Server {
 public:
  explicit Server(const std::string& folder, const std::vector<std::string>& options = {},
                  const std::function<void()>& in_child = {})
      : program(arguments(folder, options), in_child) {
    const std::string first = program.line_after("dat-cp: serving ");
    port = first.substr(first.find("port ") + 5);
    port = port.substr(0, port.find(','));
    token = next_token();
  }
  std::string next_token() { return program.line_after("token: "); }
  [[nodiscard]] std::string at(const std::string& path) const {
    return "127.0.0.1:" + port + ":" + path;
  }

  Program program;
  std::string port, token;

 private:
  static std::vector<std::string> arguments(const std::string& folder,
                                            const std::vector<std::string>& options) {
    std::vector<std::string> all = {DAT_CP_PROGRAM, "serve", "--port", "0"};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back(folder);
    return all;
  }
};

} // namespace datum::cp::test
