// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NumberedProcess: whether a process has ended, where the kernel has no descriptors of processes
// (Linux before 5.3).
#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>

#include "tests/unit/shm/child.h"
#include "transport/shm/peer_process.h"

namespace datum::test {
namespace {

// Waits until the process is a zombie, and leaves it a zombie.
void await_end(pid_t pid) {
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
}

TEST(NumberedProcess, ThatRunsHasNotEnded) {
  EXPECT_FALSE(NumberedProcess(::getpid()).has_ended());
}

TEST(NumberedProcess, ThatIsAZombieHasEnded) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  const NumberedProcess process(pid);
  EXPECT_FALSE(process.has_ended());
  ::kill(pid, SIGKILL);
  await_end(pid);
  EXPECT_TRUE(process.has_ended());
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  EXPECT_TRUE(process.has_ended());
}

void* say_that_the_first_has_ended(void* numbers) {
  // Reads the file of the first thread, since qemu-user replaces /proc/self/stat by a file without
  // the state.
  const std::string first = "/proc/self/task/" + std::to_string(::getpid()) + "/stat";
  char state = 0;
  while (state != 'Z') {
    const UniqueFd file(::open(first.c_str(), O_RDONLY | O_CLOEXEC));
    char line[256] = {};
    if (::read(file.get(), line, sizeof line - 1) <= 0) return nullptr;
    const char* const behind_the_name = ::strrchr(line, ')');
    state = behind_the_name == nullptr ? 'Z' : behind_the_name[2];
    std::this_thread::yield();
  }
  static_cast<Numbers*>(numbers)->put(1);
  for (;;) ::pause();
}

TEST(NumberedProcess, WhoseFirstThreadHasEndedHasNot) {
  Child child([](Numbers& numbers) {
    pthread_t thread{};
    if (::pthread_create(&thread, nullptr, say_that_the_first_has_ended, &numbers) != 0) return;
    ::syscall(SYS_exit, 0);
  });
  const NumberedProcess process(child.pid());
  ASSERT_EQ(child.numbers().get(), 1U);
  EXPECT_FALSE(process.has_ended());
  ::kill(child.pid(), SIGKILL);
  await_end(child.pid());
  EXPECT_TRUE(process.has_ended());
}

TEST(NumberedProcess, ThatIsNotVisibleIsNotSaidToHaveEnded) {
  EXPECT_FALSE(NumberedProcess(0).has_ended());
}

} // namespace
} // namespace datum::test
