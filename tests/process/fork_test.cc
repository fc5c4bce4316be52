// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Children that open an IA of their own while threads of their parent are in calls.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "connection.h"
#include "objects.h"
#include "status.h"
#include "transport.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr unsigned kSecondsForAChild = 20; // the work takes milliseconds

bool open_and_close() {
  std::string name = ia_name();
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  return dat_ia_open(name.data(), 8, &async, &ia) == DAT_SUCCESS &&
         dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG) == DAT_SUCCESS;
}

// Runs `body` in a child, and returns the exit status: 0 if `body` succeeded. A signal ends a child
// that hangs.
int failure_of_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsForAChild);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Two threads call `work` again and again, until this thread has made `children` children.
void fork_beside(const std::function<void()>& work, int children) {
  std::atomic<bool> done{false};
  std::atomic<int> rounds{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!done) {
        work();
        ++rounds;
      }
    });
  for (int i = 0; i < children && !testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(failure_of_child(open_and_close), 0) << "child " << i;
    for (const int seen = rounds; rounds == seen;) std::this_thread::yield();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

// Rules: THREAD.15
TEST(ForkedChild, OpensAnIaWhileOthersOpenAndClose) {
  fork_beside([] { EXPECT_TRUE(open_and_close()); }, 60);
}

// Rules: THREAD.15
TEST(ForkedChild, OpensAnIaWhileOthersMakeObjects) {
  Ia ia;
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  std::string name = ia_name();
  ASSERT_DAT_OK(dat_ia_open(name.data(), 8, &async, ia.out()));
  const auto make = [&] {
    DAT_PZ_HANDLE zone = DAT_HANDLE_NULL;
    EXPECT_DAT_OK(dat_pz_create(ia, &zone));
    EXPECT_DAT_OK(dat_pz_free(zone));
  };
  fork_beside(make, 60);
}

// The link in the file's name is "anon_inode:[pidfd]" or "pidfd:[NUMBER]", by the kernel's version.
int count_pidfds() {
  int count = 0;
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd", error))
    if (read_symlink(each, error).string().find("pidfd") != std::string::npos) ++count;
  return count;
}

// Otherwise the kernel would report the peer's death for as long as the child lives, where a later
// filter refuses to end the watch.
// Rules: SANDBOX.2
TEST(ForkedChild, HasNoDescriptorOfItsParentsPeers) {
  const Variable transport("DATUM_TRANSPORT", "shm");
  const Ia ia = open_ia();
  const Ia other = open_ia();
  const int before = count_pidfds();
  Side active(ia);
  Side passive(other);
  establish(active, passive);
  if (before == 0 || count_pidfds() == before)
    return; // the kernel has no pidfd, or /proc is absent
  EXPECT_EQ(failure_of_child([before] { return count_pidfds() == before; }), 0);
}

} // namespace
} // namespace datum::test
