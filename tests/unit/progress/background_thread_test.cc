// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/background_thread.h"

#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace datum {
namespace {

TEST(BackgroundThread, BlocksEverySignalAndLeavesItsCreatorsMaskAlone) {
  sigset_t inside;
  sigset_t before;
  sigset_t after;
  sigemptyset(&inside);
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  BackgroundThread thread;
  ASSERT_TRUE(thread.start("x", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); }).ok());
  thread.join();
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(BackgroundThread, CarriesItsNameCutToWhatTheKernelKeeps) {
  char name[16] = {};
  BackgroundThread thread;
  ASSERT_TRUE(thread
                  .start("datum-a-very-long-interface",
                         [&] { pthread_getname_np(pthread_self(), name, sizeof name); })
                  .ok());
  thread.join();
  EXPECT_STREQ(name, "datum-a-very-lo");
}

TEST(BackgroundThread, AForkedChildNeitherOwnsNorJoinsIt) {
  BackgroundThread thread;
  int gate[2];
  ASSERT_EQ(::pipe(gate), 0);
  ASSERT_TRUE(thread
                  .start("x",
                         [&] {
                           char byte = 0;
                           [[maybe_unused]] const ssize_t got = ::read(gate[0], &byte, 1);
                         })
                  .ok());
  const pid_t child = ::fork();
  if (child == 0) {
    const bool owned = thread.started_here();
    thread.join();
    ::_exit(owned ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(thread.started_here());
  ::close(gate[1]);
  thread.join();
  ::close(gate[0]);
}

} // namespace
} // namespace datum
