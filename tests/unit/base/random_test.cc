// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random numbers where a sandbox forbids asking for them.
#include <cerrno>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/filter.h"

namespace datum {
namespace {

constexpr int kBound = 20; // seconds; a defect here would loop for ever

class ForbiddenRandom : public testing::TestWithParam<int> {};

TEST_P(ForbiddenRandom, NumbersStillComeAndDiffer) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kBound);
    if (!test::forbid_call(SYS_getrandom, GetParam())) ::_exit(2);
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
