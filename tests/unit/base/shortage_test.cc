// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/shortage.h"

#include <gtest/gtest.h>
#include <new>
#include <string>
#include <sys/resource.h>

namespace datum {
namespace {

std::string said_of(Shortage shortage) {
  testing::internal::CaptureStderr();
  log_shortage("it cannot be had", shortage);
  return testing::internal::GetCapturedStderr();
}

void expect_named(Shortage shortage, const std::string& cause, const std::string& limit) {
  const std::string said = said_of(shortage);
  EXPECT_EQ(said.rfind("datum warn: it cannot be had: " + cause, 0), 0U) << said;
  EXPECT_NE(said.find(limit), std::string::npos) << said;
  // Only a shortage of descriptors names their limit.
  EXPECT_EQ(said.find("ulimit -n") != std::string::npos, shortage.lack == Lack::Descriptors)
      << said;
}

// Rules: tcp.R11
TEST(Shortage, IsNamedAsWhatItIs) {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  expect_named(shortage_of(EMFILE), "Too many open files;",
               "this process may have " + std::to_string(files.rlim_cur) +
                   " (`ulimit -n`), which is its RLIMIT_NOFILE");
  expect_named(shortage_of(ENFILE), "Too many open files in system;", "fs.file-max");
  expect_named(shortage_of(ENOBUFS), "No buffer space available; the kernel has no memory",
               "net.ipv4.tcp_mem");
  expect_named(shortage_of(ENOMEM), "Cannot allocate memory; the kernel has no memory",
               "net.ipv4.tcp_mem");
  expect_named(kNoMemory, "Cannot allocate memory; this process", "");
  expect_named(shortage_of_watch(ENOSPC), "No space left on device;", "fs.epoll.max_user_watches");
  expect_named(shortage_of_watch(ENOMEM), "Cannot allocate memory; the kernel has no memory", "");
  expect_named(kNoLocalPort, "Cannot assign requested address; all local ports",
               "sysctl net.ipv4.ip_local_port_range");
  // Only the code that connects knows which meaning EADDRNOTAVAIL has.
  EXPECT_EQ(shortage_of(EADDRNOTAVAIL).lack, Lack::Other);
  expect_named(shortage_of(EPERM), "Operation not permitted\n", "");
}

// Rules: tcp.R11
TEST(Shortage, EachHasItsLineOnceInTenSeconds) {
  constexpr Instant kStart = 500;
  ShortageLog shortages;
  EXPECT_TRUE(shortages.may_tell(Lack::Descriptors, kStart));
  EXPECT_FALSE(shortages.may_tell(Lack::Descriptors, kStart));
  EXPECT_TRUE(shortages.may_tell(Lack::KernelMemory, kStart + 1));
  EXPECT_FALSE(shortages.may_tell(Lack::Descriptors, kStart + 9'999'999'999));
  EXPECT_TRUE(shortages.may_tell(Lack::Descriptors, kStart + 10'000'000'000));
  EXPECT_FALSE(shortages.may_tell(Lack::KernelMemory, kStart + 10'000'000'000));
  EXPECT_FALSE(shortages.may_tell(Lack::Descriptors, kStart + 19'999'999'999));
}

// Rules: tcp.R11
TEST(Shortage, ThrowsNothingWhereItsWordsFindNoMemory) {
  ShortageLog shortages;
  int asked = 0;
  const auto say = [&]() -> std::string {
    ++asked;
    throw std::bad_alloc();
  };
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW(shortages.tell(kNoMemory, 0, say));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("memory"), std::string::npos);
  shortages.tell(kNoMemory, 1, say);
  EXPECT_EQ(asked, 1) << "it was told a short time ago";
}

} // namespace
} // namespace datum
