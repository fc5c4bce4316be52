// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/log.h"

#include <array>
#include <string>

#include "base/clock.h"
#include "base/line_budget.h"
#include "base/mutex.h"
#include "base/printable.h"
#include "base/stderr_line.h"
#include "base/variables.h"

namespace datum {
namespace {

constexpr std::array<std::string_view, 4> kNames{"warn", "info", "debug", "trace"};

LogLevel read_threshold() {
  return static_cast<LogLevel>(read_word(Variable::Log).value_or(0));
}

} // namespace

LogLevel log_threshold() {
  static const LogLevel threshold = read_threshold();
  return threshold;
}

void log_out_of_memory() {
  write_to_stderr("datum warn: out of memory\n");
}

void log_line(LogLevel level, std::string_view text) {
  std::string line = "datum ";
  line += kNames[static_cast<std::size_t>(level)];
  line += ": ";
  // Names, paths and values in the text may come from an untrusted peer.
  line += printable(text);
  line += '\n';
  write_to_stderr(line);
}

bool may_log_of_peer() {
  static constinit Mutex mutex;
  static LineBudget budget;
  std::uint64_t left_out = 0;
  {
    const MutexLock lock(mutex);
    if (!budget.take(monotonic_now())) return false;
    left_out = budget.left_out();
  }
  if (left_out != 0) log(LogLevel::Warn, "{} more lines about peers were left out", left_out);
  return true;
}

} // namespace datum
