// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/log_stream.h: the log of a server, on a descriptor whose reader may be slow or stopped.
// Lives here: writing a line without waiting for room, and counting the lines that found none.
// Not here:   what makes a line printable (std_streams.h).
// Threads:    one thread at a time may write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace datum::tools {

class LogStream {
 public:
  // program: the beginning of the line that reports lost lines. The descriptor does not change for
  // other processes that share it.
  LogStream(int fd, std::string program) : fd_(fd), program_(std::move(program)) {}

  // Writes the line, which has no newline. A line that is longer than a pipe takes at once is cut.
  // If there is no room, the line is lost. Before the next line that finds room, a line reports the
  // number of lost lines.
  void write(std::string_view line);

 private:
  bool put(std::string_view line);

  int fd_;
  std::string program_;
  std::uint64_t lost_ = 0;
  bool torn_ = false; // the last line was written in part, without its newline
};

} // namespace datum::tools
