// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/shm/child.h: Child, another process with which a test exchanges numbers.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace datum::test {

// Two pipes. A read that finds the other end closed gives 0.
class Numbers {
 public:
  Numbers(int read_fd, int write_fd) : read_fd_(read_fd), write_fd_(write_fd) {}
  void put(std::uint64_t value) {
    [[maybe_unused]] const ssize_t n = ::write(write_fd_, &value, sizeof value);
  }
  std::uint64_t get() {
    std::uint64_t value = 0;
    return ::read(read_fd_, &value, sizeof value) == sizeof value ? value : 0;
  }
  int read_fd() const { return read_fd_; }

 private:
  int read_fd_;
  int write_fd_;
};

// Forks without the C library, so no handler of pthread_atfork() runs, and the child keeps every
// descriptor.
inline pid_t fork_unnoticed() {
#ifdef __s390x__ // clone(2): there the stack comes first
  return static_cast<pid_t>(::syscall(SYS_clone, nullptr, SIGCHLD, nullptr, nullptr, nullptr));
#else
  return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
#endif
}

// After the child has forked, both processes call this. The grandchild stays, and keeps every
// descriptor. The test gets the grandchild's process number, and has to kill it.
inline void leave_behind(pid_t grandchild, Numbers& numbers) {
  if (grandchild == 0) {
    for (;;) ::pause();
  }
  numbers.put(static_cast<std::uint64_t>(grandchild));
}

inline void become_another_program() {
  ::execl("/bin/sleep", "sleep", "1000", static_cast<char*>(nullptr));
}

// A child process. The destructor kills the child if it still lives, and waits for it.
class Child {
 public:
  // The child runs `body` and ends.
  explicit Child(const std::function<void(Numbers&)>& body) {
    if (::pipe(down_) != 0 || ::pipe(up_) != 0) ::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(down_[1]);
      ::close(up_[0]);
      Numbers numbers(down_[0], up_[1]);
      body(numbers);
      ::_exit(0);
    }
    ::close(down_[0]);
    ::close(up_[1]);
  }
  ~Child() {
    kill();
    ::close(down_[1]);
    ::close(up_[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Numbers numbers() const { return {up_[0], down_[1]}; }
  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  int down_[2];
  int up_[2];
  pid_t pid_ = -1;
};

} // namespace datum::test
