// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/log_stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "full_pipe.h"
#include "tests/filter.h"

namespace datum::tools {
namespace {

std::string all_of(int fd) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string text;
  std::array<char, 65536> buffer = {};
  for (ssize_t n = 0; (n = read(fd, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  return text;
}

TEST(LogStream, WhatFindsNoRoomIsLostAndCountedOnceThereIsRoom) {
  const datum::test::FullPipe pipe;
  LogStream log(pipe.writer(), "tool");
  log.write("one");
  log.write("two");
  EXPECT_EQ(all_of(pipe.reader()).find_first_not_of('x'), std::string::npos);
  log.write("three");
  log.write("four");
  EXPECT_EQ(
      all_of(pipe.reader()),
      "tool: 2 lines of this log were lost, because standard error had no room\nthree\nfour\n");
}

// O_NONBLOCK in the file description would affect every process that shares the pipe.
TEST(LogStream, TheDescriptionStaysAsItIs) {
  const datum::test::FullPipe pipe;
  const int before = fcntl(pipe.writer(), F_GETFL);
  LogStream(pipe.writer(), "tool").write("one");
  EXPECT_EQ(fcntl(pipe.writer(), F_GETFL), before);
}

void forbid_all(const std::vector<int>& calls) {
  for (const int call : calls)
    if (!datum::test::forbid_call(static_cast<std::uint32_t>(call), EPERM))
      GTEST_SKIP() << "no filter of system calls here";
}

// Writes the lines in a thread that may not make these calls.
void write_without(LogStream& log, const std::vector<int>& calls,
                   std::initializer_list<const char*> lines) {
  std::thread([&] {
    forbid_all(calls);
    for (const char* const line : lines) log.write(line);
  }).join();
}

TEST(LogStream, LinesAppearWhereASandboxRefusesToSend) {
  const std::vector<std::vector<int>> kAll = {{SYS_sendto}, {SYS_sendto, SYS_sendmsg}};
  for (const auto& calls : kAll) {
    int pipe_ends[2];
    int socket_ends[2];
    ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket_ends), 0);
    for (const auto& ends : {pipe_ends, socket_ends}) {
      const UniqueFd reader(ends[0]);
      const UniqueFd writer(ends[1]);
      LogStream log(writer.get(), "tool");
      write_without(log, calls, {"one", "two"});
      if (testing::Test::IsSkipped()) return;
      EXPECT_EQ(all_of(reader.get()), "one\ntwo\n");
    }
  }
}

TEST(LogStream, WhatFindsNoRoomIsCountedWhereASandboxRefusesToSend) {
  const datum::test::FullPipe pipe;
  LogStream log(pipe.writer(), "tool");
  write_without(log, {SYS_sendto}, {"one", "two"});
  if (testing::Test::IsSkipped()) return;
  static_cast<void>(all_of(pipe.reader()));
  write_without(log, {SYS_sendto}, {"three"});
  EXPECT_EQ(all_of(pipe.reader()),
            "tool: 2 lines of this log were lost, because standard error had no room\nthree\n");
}

TEST(LogStream, ALineIsCutToWhatAPipeTakesAtOnce) {
  const datum::test::FullPipe pipe;
  static_cast<void>(all_of(pipe.reader()));
  LogStream log(pipe.writer(), "tool");
  log.write(std::string(3 * PIPE_BUF, 'y'));
  const std::string text = all_of(pipe.reader());
  EXPECT_LE(text.size(), std::size_t{PIPE_BUF});
  EXPECT_TRUE(text.ends_with("y\n"));
}

// Under a service manager, standard error is a socket to the journal.
TEST(LogStream, ASocketWithoutRoomIsNotWaitedFor) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd near(ends[0]), far(ends[1]);
  LogStream log(near.get(), "tool");
  for (int i = 0; i < 10'000; ++i) log.write(std::string(1000, 'y'));
  static_cast<void>(all_of(far.get()));
  log.write("again");
  const std::string text = all_of(far.get());
  EXPECT_NE(text.find(" lines of this log were lost, "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\nagain\n")) << text;
}

// A terminal has no room after Ctrl-S, or while its window hangs.
TEST(LogStream, ATerminalWithoutRoomIsNotWaitedFor) {
  const UniqueFd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0)
    GTEST_SKIP() << "no pseudo terminals here";
  std::array<char, 64> name = {};
  ASSERT_EQ(ptsname_r(master.get(), name.data(), name.size()), 0);
  const UniqueFd terminal(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal);
  LogStream log(terminal.get(), "tool");
  for (int i = 0; i < 1000; ++i) log.write(std::string(1000, 'y'));
  static_cast<void>(all_of(master.get()));
  log.write("again");
  const std::string text = all_of(master.get());
  EXPECT_NE(text.find(" of this log were lost, "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\nagain\r\n")) << text;
}

} // namespace
} // namespace datum::tools
