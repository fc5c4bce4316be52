// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace datum::siw {
namespace {

// Moves the calling thread into that network namespace.
bool enter(const std::string& network) {
  const int there = open(network.c_str(), O_RDONLY | O_CLOEXEC);
  const bool entered = there >= 0 && setns(there, CLONE_NEWNET) == 0;
  if (there >= 0) close(there);
  return entered;
}

// Executes the command in the child. Never returns.
void become(const std::vector<std::string>& command, const std::string& network, int input,
            int output) {
  std::signal(SIGPIPE, SIG_DFL);
  if (input >= 0) dup2(input, STDIN_FILENO);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (enter(network)) execvp(words[0], words.data());
  std::perror(words[0]);
  _exit(127);
}

} // namespace

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) ADD_FAILURE() << name << " is not set; start with scripts/siw.sh";
  return value == nullptr ? "" : value;
}

pid_t start_beside_siw(const std::vector<std::string>& command, int input, int output) {
  const std::string network = setting("DATUM_SIW_NETWORK");
  const pid_t process = fork();
  if (process == 0) become(command, network, input, output);
  EXPECT_GT(process, 0) << "fork";
  return process;
}

void open_beside_siw(const std::function<void()>& open) {
  const std::string network = setting("DATUM_SIW_NETWORK");
  std::thread([&] {
    ASSERT_TRUE(enter(network)) << network;
    open();
  }).join();
}

int exit_status_of(pid_t process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

BesideSiw::~BesideSiw() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  exit_status_of(process_);
}

int BesideSiw::exit_status() {
  return exit_status_of(std::exchange(process_, -1));
}

} // namespace datum::siw
