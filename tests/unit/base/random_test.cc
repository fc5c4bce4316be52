// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random numbers where a sandbox forbids asking for them.
#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"

namespace datum {
namespace {

constexpr int kBound = 20; // seconds; a defect here is a loop without end

bool forbid_getrandom(std::uint32_t error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

class ForbiddenRandom : public testing::TestWithParam<int> {};

TEST_P(ForbiddenRandom, NumbersStillComeAndDiffer) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kBound);
    if (!forbid_getrandom(static_cast<std::uint32_t>(GetParam()))) ::_exit(2);
    KernelRandom random;
    const std::uint64_t first = random.next();
    ::_exit(first != random.next() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Answers, ForbiddenRandom, testing::Values(EPERM, ENOSYS));

} // namespace
} // namespace datum
