// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/log_stream.h: the log of a server, on a descriptor whose reader may be slow or stopped.
// Lives here: writing a line without waiting for room, and counting the lines that found none.
// Not here:   what makes a line printable (std_streams.h).
// Threads:    one at a time writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace datum::tools {

class LogStream {
 public:
  // program begins the line that tells how many were lost. Whoever shares the descriptor sees no
  // change of it.
  LogStream(int fd, std::string program) : fd_(fd), program_(std::move(program)) {}

  // The line, without its newline, cut to what a pipe takes at once. Where there is no room it is
  // lost; before the first one that finds room again, a line says how many were.
  void write(std::string_view line);

 private:
  bool put(std::string_view line);

  int fd_;
  std::string program_;
  std::uint64_t lost_ = 0;
  bool torn_ = false; // the beginning of a line stands there, without a newline
};

} // namespace datum::tools
