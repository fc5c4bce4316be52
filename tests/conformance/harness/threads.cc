// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "threads.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace datum::test {

namespace {

#if defined(DATUM_EMULATED)
// The kernel knows the system calls of its own processor, x86-64, not those of the emulated one.
constexpr long kFutex = 202, kPpoll = 271, kEpollPwait = 281, kEpollPwait2 = 441, kEpollWait = 232;
#else
constexpr long kFutex = SYS_futex, kPpoll = SYS_ppoll, kEpollPwait = SYS_epoll_pwait,
               kEpollPwait2 = 441; // Linux 5.11; the same everywhere
#ifdef SYS_epoll_wait
constexpr long kEpollWait = SYS_epoll_wait;
#else
constexpr long kEpollWait = kEpollPwait;
#endif
#endif

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
  if (number == kFutex) return expected == "0x0";
  return number == kPpoll || number == kEpollPwait || number == kEpollPwait2 ||
         number == kEpollWait;
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
