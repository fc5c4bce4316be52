// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "threads.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string>

namespace datum::test {

namespace {

// Under qemu-user, /proc shows the system call numbers of the machine's processor, x86-64. In a
// whole emulated machine it shows those of the emulated processor. So waits() accepts the numbers
// of both: no number of one processor is another sleeping call of the other.
constexpr long kEpollPwait2 = 441; // Linux 5.11; the same number on every processor
constexpr std::initializer_list<long> kFutex{
    SYS_futex,
#ifdef DATUM_EMULATED
    202,
#endif
};
constexpr std::initializer_list<long> kPolls{
    SYS_ppoll,
    SYS_epoll_pwait,
    kEpollPwait2,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
#ifdef DATUM_EMULATED
    271,
    281,
    232,
#endif
};

bool is_one_of(std::initializer_list<long> numbers, long number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// Whether the thread sleeps in a wait, by the system call and its arguments that the kernel shows.
// A thread that sleeps for a lock is not in a wait yet: it sleeps on a futex as long as a word says
// "taken". A thread in a wait sleeps on a futex as long as a word is 0, or it sleeps in the
// kernel's poll.
bool waits(int thread_id) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread_id) + "/syscall");
  long number = -1; // "running": no number
  std::string word;
  std::string operation;
  std::string expected;
  if (!(file >> number >> word >> operation >> expected)) return false;
  if (is_one_of(kFutex, number)) return expected == "0x0";
  return is_one_of(kPolls, number);
}

void ignore_user_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) {}; // without SA_RESTART the signal interrupts the wait
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
