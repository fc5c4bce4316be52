// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A memory file that would exceed the limit on the size of files gives an error and no SIGXFSZ.
// Each body that sets the limit runs in a child process.
#include "base/memory_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace datum {
namespace {

void limit_files(rlim_t most) {
  std::signal(SIGXFSZ, SIG_DFL);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(MemoryFile, HoldsWhatWasAppended) {
  const UniqueFd file = make_memory_file("test");
  ASSERT_TRUE(file);
  EXPECT_TRUE(append(file, "one "));
  EXPECT_TRUE(append(file, "two"));
  std::array<char, 16> text{};
  EXPECT_EQ(::pread(file.get(), text.data(), text.size(), 0), 7);
  EXPECT_STREQ(text.data(), "one two");
}

TEST(MemoryFile, MayBeSealedAndIsNotExecuted) {
  const UniqueFd file = make_memory_file("test");
  EXPECT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW), 0);
  struct stat status {};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  constexpr int kSealExec = 0x20; // F_SEAL_EXEC, which kernels before 6.3 do not have
  const bool knows = (::fcntl(file.get(), F_GET_SEALS) & kSealExec) != 0;
  EXPECT_EQ(status.st_mode & 0111, knows ? 0U : status.st_mode & 0111);
  EXPECT_NE(::fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(MemoryFile, ALimitOnFilesIsAnError) {
  const auto body = [] {
    const UniqueFd file = make_memory_file("test");
    limit_files(5);
    const bool all = append(file, "longer") || errno != EFBIG;
    const bool length = set_length(file, 6) || errno != EFBIG;
    std::_Exit(all || length || !set_length(file, 5) ? 1 : 7);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

TEST(MemoryFile, ALimitOnFilesLeavesNoSignalBehind) {
  const auto body = [] {
    const UniqueFd file = make_memory_file("test");
    limit_files(0);
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const bool made = set_length(file, 1) || append(file, "x");
    ::sigpending(&set);
    std::_Exit(made || ::sigismember(&set, SIGXFSZ) == 1 ? 1 : 7);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

} // namespace
} // namespace datum
