// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Commands as a user types them: what they print and how they end.
#pragma once

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace datum::test {

struct Ended {
  int code = -1; // minus the signal if a signal ended it
  std::string output;
};

inline int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Runs the command in a shell and reads its stdout. A command whose stderr matters has to redirect
// it. A command that hangs is ended after 60 s.
inline Ended run(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(("exec timeout -k 1 60 " + command).c_str(), "r"), [](FILE*) { return 0; });
  if (!pipe) throw std::runtime_error("popen");
  Ended ended;
  std::array<char, 4096> buffer = {};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    ended.output.append(buffer.data(), n);
  ended.code = exit_code(pclose(pipe.get()));
  return ended;
}

// Sends the program a signal (INT, KILL, ...) once it has printed a line that contains `word`. If a
// signal ends the program, the code is 128 plus the signal's number, as in a shell. Neither
// `command` nor `word` may contain a single quote.
inline Ended run_until(const std::string& command, const std::string& word,
                       const std::string& signal) {
  Ended ended =
      run("bash -c 'coproc P { exec " + command + " 2>&1; }; pid=$P_PID; exec 3<&${P[0]};" +
          " while read -r line <&3; do echo \"$line\"; case $line in *\"" + word + "\"*) kill -s " +
          signal + " $pid;; esac; done; wait $pid; exit $?'");
  return ended;
}

// A program that runs until the test ends it. The first line of its output says that it is ready:
// "...: ... on IA (address), port 26001, process 4711".
class Served {
 public:
  explicit Served(const std::string& command) : pipe_(popen(("exec " + command).c_str(), "r")) {
    std::array<char, 512> line = {};
    if (pipe_ == nullptr || fgets(line.data(), line.size(), pipe_) == nullptr)
      throw std::runtime_error("the server said nothing: " + command);
    first_line = line.data();
    port = number_after("port ");
    pid = std::stoi(number_after("process "));
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    if (pipe_ != nullptr) end(SIGKILL);
  }
  // The exit code, or minus the signal that ended the program.
  int end(int number) {
    kill(pid, number);
    return wait();
  }
  int wait() {
    FILE* const pipe = pipe_;
    pipe_ = nullptr;
    return exit_code(pclose(pipe));
  }

  std::string first_line, port;
  pid_t pid = -1;

 private:
  std::string number_after(const std::string& word) const {
    const std::size_t at = first_line.find(word);
    if (at == std::string::npos) throw std::runtime_error("no " + word + "in: " + first_line);
    const std::size_t begin = at + word.size();
    return first_line.substr(begin, first_line.find_first_not_of("0123456789", begin) - begin);
  }
  FILE* pipe_;
};

} // namespace datum::test
