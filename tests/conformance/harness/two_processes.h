// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/two_processes.h: a second process under the test's command.
// Lives here: start, one-line commands and answers through pipes, stop, continue, kill.
// Not here:   what the commands mean (peer_main.h for our own test program).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace datum::test {

class PeerProcess {
 public:
  static const int kPatienceMs; // a healthy peer never needs it

  // Forks and executes the command. Commands go to its stdin, answers come from its stdout.
  explicit PeerProcess(const std::vector<std::string>& command);
  // Starts this test program as a peer, on the same transport.
  static PeerProcess of_this_program();

  PeerProcess(PeerProcess&& other) noexcept;
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  PeerProcess& operator=(PeerProcess&&) = delete;
  ~PeerProcess(); // closes the command pipe and waits; kills a peer that does not end

  void send(std::string_view command);
  // The next line without its newline. If none comes in time, the test fails and the line is "".
  std::string receive(int patience_ms = kPatienceMs);
  std::string ask(std::string_view command) {
    send(command);
    return receive();
  }

  void stop();         // SIGSTOP, and waits until it has stopped
  void go_on();        // SIGCONT
  void kill();         // SIGKILL, and reaps
  int wait_for_exit(); // closes the command pipe; returns the exit status, or -1 after a signal

  pid_t pid() const { return pid_; }

 private:
  void close_pipes();

  pid_t pid_ = -1;
  int commands_ = -1;
  int answers_ = -1;
  std::string pending_;
};

} // namespace datum::test
