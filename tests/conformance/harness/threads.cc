// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "threads.h"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace datum::test {

namespace {

// The kernel's word for the thread: 'S' while it sleeps interruptibly, which these calls do only
// once they wait.
char kernel_state(int thread_id) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread_id) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= line.size() ? '?' : line[name_end + 2];
}

void ignore_user_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) {}; // no SA_RESTART: the wait must notice
  sigaction(SIGUSR1, &action, nullptr);
}

} // namespace

BlockedCall::BlockedCall(std::function<DAT_RETURN()> call)
    : thread_([this, call = std::move(call)] {
        thread_id_ = gettid();
        status_ = call();
        over_ = true;
      }) {
  ignore_user_signal();
  while (!over_ && (thread_id_ == 0 || kernel_state(thread_id_) != 'S')) std::this_thread::yield();
}

BlockedCall::~BlockedCall() {
  if (thread_.joinable()) thread_.join();
}

DAT_RETURN BlockedCall::join() {
  thread_.join();
  return status_;
}

void BlockedCall::signal() {
  pthread_kill(thread_.native_handle(), SIGUSR1);
}

} // namespace datum::test
