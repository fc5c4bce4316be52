// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "threads.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace datum::test {

namespace {

// What the kernel says of the thread: the system call in which it sleeps, and its arguments. Asleep
// at a lock is not yet in the wait: a lock sleeps until a word that says "taken" changes, a wait
// until a word that is 0 does, or in the kernel's poll.
bool waits(int thread_id) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread_id) + "/syscall");
  long number = -1; // "running": no number
  std::string word;
  std::string operation;
  std::string expected;
  if (!(file >> number >> word >> operation >> expected)) return false;
  switch (number) {
  case SYS_futex: return expected == "0x0";
  case SYS_ppoll:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2: return true;
#ifdef SYS_epoll_wait
  case SYS_epoll_wait: return true;
#endif
  default: return false;
  }
}

void ignore_user_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) {}; // no SA_RESTART: the wait must notice
  sigaction(SIGUSR1, &action, nullptr);
}

} // namespace

void wait_until_asleep(const std::atomic<int>& thread_id, const std::atomic<bool>& over) {
  while (!over && (thread_id == 0 || !waits(thread_id))) std::this_thread::yield();
}

BlockedCall::BlockedCall(std::function<DAT_RETURN()> call)
    : thread_([this, call = std::move(call)] {
        thread_id_ = gettid();
        status_ = call();
        over_ = true;
      }) {
  ignore_user_signal();
  until_it_waits();
}

BlockedCall::~BlockedCall() {
  if (thread_.joinable()) thread_.join();
}

DAT_RETURN BlockedCall::join() {
  thread_.join();
  return status_;
}

void BlockedCall::until_it_waits() const {
  wait_until_asleep(thread_id_, over_);
}

void BlockedCall::interrupt() {
  while (!over_) {
    pthread_kill(thread_.native_handle(), SIGUSR1);
    until_it_waits();
  }
}

} // namespace datum::test
