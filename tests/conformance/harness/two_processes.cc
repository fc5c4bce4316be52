// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "two_processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "transport.h"

namespace datum::test {

const int PeerProcess::kPatienceMs = 10'000 * times_as_patient();

namespace {

[[noreturn]] void become(const std::vector<std::string>& command, int in, int out) {
  // A peer must not outlive a test that was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

} // namespace

PeerProcess::PeerProcess(const std::vector<std::string>& command) {
  signal(SIGPIPE, SIG_IGN); // a dead peer shall fail the test, not end its process
  int to_peer[2];
  int from_peer[2];
  if (pipe2(to_peer, O_CLOEXEC) != 0 || pipe2(from_peer, O_CLOEXEC) != 0) {
    ADD_FAILURE() << "pipe2: errno " << errno;
    return;
  }
  pid_ = fork();
  if (pid_ == 0) become(command, to_peer[0], from_peer[1]);
  close(to_peer[0]);
  close(from_peer[1]);
  commands_ = to_peer[1];
  answers_ = from_peer[0];
  EXPECT_GT(pid_, 0) << "fork: errno " << errno;
}

PeerProcess PeerProcess::of_this_program() {
  return PeerProcess({"/proc/self/exe", "--peer"});
}

PeerProcess::PeerProcess(PeerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), commands_(std::exchange(other.commands_, -1)),
      answers_(std::exchange(other.answers_, -1)), pending_(std::move(other.pending_)) {}

PeerProcess::~PeerProcess() {
  if (pid_ > 0) {
    go_on();
    wait_for_exit();
  }
  close_pipes();
}

void PeerProcess::close_pipes() {
  if (commands_ >= 0) close(std::exchange(commands_, -1));
  if (answers_ >= 0) close(std::exchange(answers_, -1));
}

void PeerProcess::send(std::string_view command) {
  std::string line(command);
  line += '\n';
  EXPECT_EQ(write(commands_, line.data(), line.size()), static_cast<ssize_t>(line.size()))
      << "command " << command << ": the peer process is gone";
}

std::string PeerProcess::receive(int patience_ms) {
  for (;;) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    pollfd waiting{answers_, POLLIN, 0};
    char chunk[512];
    const ssize_t got =
        poll(&waiting, 1, patience_ms) > 0 ? read(answers_, chunk, sizeof chunk) : -1;
    if (got <= 0) {
      ADD_FAILURE() << "no answer from the peer process " << pid_;
      return {};
    }
    pending_.append(chunk, static_cast<std::size_t>(got));
  }
}

void PeerProcess::stop() {
  int status = 0;
  EXPECT_EQ(::kill(pid_, SIGSTOP), 0);
  EXPECT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
  EXPECT_TRUE(WIFSTOPPED(status));
}

void PeerProcess::go_on() {
  EXPECT_EQ(::kill(pid_, SIGCONT), 0);
}

void PeerProcess::kill() {
  EXPECT_EQ(::kill(pid_, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
  pid_ = -1;
}

int PeerProcess::wait_for_exit() {
  if (commands_ >= 0) close(std::exchange(commands_, -1));
  // The peer holds the other end of the answer pipe until it ends.
  pollfd waiting{answers_, POLLIN, 0};
  char chunk[512];
  while (poll(&waiting, 1, kPatienceMs) > 0 && read(answers_, chunk, sizeof chunk) > 0) {
  }
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) {
    if (poll(&waiting, 1, 0) == 0) {
      ADD_FAILURE() << "the peer process " << pid_ << " does not end; killed";
      ::kill(pid_, SIGKILL);
    }
    waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace datum::test
