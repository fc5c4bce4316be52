// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The measured loops, and Ctrl-C. A loop in which something completes all the time has to look for
// it, since nothing else does.
#include "perf/runs.h"

#include <gtest/gtest.h>

#include <csignal>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/tool_error.h"

namespace datum::perf {
namespace {

// Ends this process with the exit code of a run that begins after Ctrl-C. There is no peer: a loop
// that does not look first fails to post (4), or ends as usual (0).
[[noreturn]] void run_after_interrupt(const char* test) {
  Task task;
  set_test(task, test);
  const tools::Interface ia("datum");
  Link link(ia, task, "nobody");
  tools::catch_interrupts();
  std::raise(SIGINT);
  try {
    initiate(link, {0, 10, false});
  } catch (const tools::ToolError& error) {
    _exit(static_cast<int>(error.code()));
  }
  _exit(0);
}

TEST(PerfRuns, EachLoopLooksForAnInterrupt) {
  for (const char* test :
       {"dequeue", "post", "send-lat", "write-lat", "read-lat", "send-bw", "write-bw", "read-bw"})
    EXPECT_EXIT(run_after_interrupt(test), testing::ExitedWithCode(3), "") << test;
}

} // namespace
} // namespace datum::perf
