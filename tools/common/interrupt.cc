// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/interrupt.h"

#include <atomic>
#include <csignal>

#include <fmt/format.h>

#include "common/tool_error.h"

namespace datum::tools {
namespace {

// The one process-wide object of the tools: a signal handler gets no context argument.
std::atomic<int> caught_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  caught_signal.store(number, std::memory_order_relaxed);
}

} // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return caught_signal.load(std::memory_order_relaxed) != 0;
}

void throw_if_interrupted() {
  if (int number = caught_signal.load(std::memory_order_relaxed); number != 0)
    throw ToolError(ExitCode::Interrupted, fmt::format("stopped by signal {}", number));
}

} // namespace datum::tools
