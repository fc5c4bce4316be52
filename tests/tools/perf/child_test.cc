// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/child.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace datum::perf {
namespace {

class ChildTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  // Runs a program that blocks SIGTERM, writes to a FIFO, and then waits for the signal or ignores
  // it. Ends the child within that time once it has written.
  void run_until_ready(const std::string& on_signal, std::chrono::milliseconds to_end) {
    const std::string ready = folder_ + "/ready";
    ASSERT_EQ(mkfifo(ready.c_str(), S_IRUSR | S_IWUSR), 0);
    Command command;
    command.words = {"python3", "-c", kBegin + on_signal, folder_};
    const Child child(command, to_end);
    // open() does not wait for the writer, which may have failed.
    const UniqueFd fifo(open(ready.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    pollfd writer = {fifo.get(), POLLIN, 0};
    ASSERT_EQ(poll(&writer, 1, static_cast<int>(kLong.count())), 1) << child.output();
    char octet = 0;
    ASSERT_EQ(read(fifo.get(), &octet, 1), 1);
    child_ = child.pid();
  }
  static constexpr std::chrono::milliseconds kLong{60'000};
  static inline const std::string kBegin = R"(import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
made = sys.argv[1] + '/made'
open(made, 'w').close()
open(sys.argv[1] + '/ready', 'w').write('x')
)";
  std::string folder_ = (std::filesystem::temp_directory_path() / "dat-perf-XXXXXX").string();
  pid_t child_ = -1;
};

// As fi_pingpong does with its memory in /dev/shm.
TEST_F(ChildTest, IsAskedToEndSoThatItRemovesWhatItMade) {
  run_until_ready("signal.sigwait([signal.SIGTERM])\nos.remove(made)\n", kLong);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/made"));
}

TEST_F(ChildTest, ThatDoesNotEndIsKilled) {
  const auto begin = std::chrono::steady_clock::now();
  run_until_ready("signal.sigwait([signal.SIGUSR1])\n", std::chrono::milliseconds(100));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong);
  EXPECT_EQ(kill(child_, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

} // namespace
} // namespace datum::perf
