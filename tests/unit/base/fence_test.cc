// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A filter of system calls that forbids membarrier(2) after the kernel has granted it. Each body
// runs in a child process, which keeps the filter to itself.
#include "base/fence.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

#include "base/biased_mutex.h"

namespace datum {
namespace {

constexpr int kDone = 7;
constexpr int kNoFilter = 77;

void forbid_membarrier() {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    std::_Exit(kNoFilter);
}

bool offered() {
  return heavy_fence_ready();
}

TEST(Fence, ThatIsForbiddenLaterIsNotRecommendedAnyMore) {
  if (!offered()) GTEST_SKIP() << "no membarrier here";
  const auto body = [] {
    static_cast<void>(heavy_fence_ready());
    forbid_membarrier();
    heavy_fence();
    std::_Exit(heavy_fence_ready() ? 1 : kDone);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(kDone), "membarrier was forbidden");
}

TEST(Fence, ThatIsForbiddenLaterStillExcludes) {
  if (!offered()) GTEST_SKIP() << "no membarrier here";
  const auto body = [] {
    constexpr int kRounds = 100'000;
    BiasedMutex mutex;
    int count = 0;
    const auto add = [&](int rounds) {
      for (int i = 0; i < rounds; ++i) {
        const MutexLock lock(mutex);
        ++count;
      }
    };
    add(kRounds); // it is the favourite now
    forbid_membarrier();
    std::thread other(add, kRounds);
    add(kRounds);
    other.join();
    std::_Exit(count == 3 * kRounds ? kDone : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(kDone), "");
}

} // namespace
} // namespace datum
