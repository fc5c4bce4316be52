// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/std_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "common/human.h"
#include "common/log_stream.h"

namespace datum::tools {
namespace {

// The process has one log, because it has one standard error.
std::optional<LogStream>& log_of_server() {
  static std::optional<LogStream> log;
  return log;
}

} // namespace

// The loop goes in ascending order, so that each open(2) gets the number that is missing. Standard
// output is opened for reading on purpose: a write then fails, and the program reports lost output.
void occupy_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue; // a filter may refuse fcntl(2)
    static_cast<void>(open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

// fwrite() is used because fmt::print() throws if a write fails.
void log_line(const std::string& line) {
  if (std::optional<LogStream>& log = log_of_server()) return log->write(printable(line));
  const std::string whole = printable(line) + '\n';
  static_cast<void>(std::fwrite(whole.data(), 1, whole.size(), stderr));
}

std::string printable_lines(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find_first_of("\n\t"), text.size());
    safe += printable(text.substr(0, length));
    safe += text.substr(length, 1);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return safe;
}

void print_text(std::string_view text) {
  const std::string safe = printable_lines(text);
  if (std::fwrite(safe.data(), 1, safe.size(), stdout) != safe.size())
    throw LostOutput(std::strerror(errno));
}

void flush_output() {
  if (const std::string why = lost_output(); !why.empty()) throw LostOutput(why);
}

void outlive_readers(const std::string& program) {
  std::signal(SIGPIPE, SIG_IGN);
  log_of_server().emplace(STDERR_FILENO, program);
}

std::string lost_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return {};
  return errno != 0 ? std::strerror(errno) : "an earlier write failed";
}

} // namespace datum::tools
