// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/log.h"

#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace datum {
namespace {

constexpr std::array<std::string_view, 4> kNames{"warn", "info", "debug", "trace"};

LogLevel read_threshold() {
  const char* text = std::getenv("DATUM_LOG");
  if (text != nullptr)
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (kNames[i] == text) return static_cast<LogLevel>(i);
  return LogLevel::Warn;
}

} // namespace

LogLevel log_threshold() {
  static const LogLevel threshold = read_threshold();
  return threshold;
}

void log_out_of_memory() {
  constexpr std::string_view kLine = "datum warn: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
}

void log_line(LogLevel level, std::string_view text) {
  std::string line = "datum ";
  line += kNames[static_cast<std::size_t>(level)];
  line += ": ";
  line += text;
  line += '\n';
  // Nobody can be told that stderr is closed.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

} // namespace datum
