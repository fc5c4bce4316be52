// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/std_streams.h: the three descriptors that every program expects to be open.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace datum::tools {

// Occupies each of the descriptors 0, 1 and 2 that is closed. Otherwise the next file or socket
// that is opened would get that number, and output would go into it. Reading or writing an occupied
// descriptor still fails.
void occupy_standard_descriptors();

// Writes a line to stderr, made printable (human.h). If stderr is closed or full, the line is lost;
// that changes no exit code and does not end a server. After outlive_readers() it does not wait for
// a slow reader.
void log_line(const std::string& line);

// printable() of each line (human.h). Newlines and tabs stay. So a name that came from elsewhere
// has to be made printable before it is put into the text, or it could begin a new line
// (text_line.h).
std::string printable_lines(std::string_view text);

// A write to standard output failed. run_tool() reports it once.
class LostOutput : public std::runtime_error {
 public:
  explicit LostOutput(const std::string& why)
      : std::runtime_error("cannot write to standard output: " + why) {}
};

// printable_lines() on stdout. Throws LostOutput.
void print_text(std::string_view text);
// Flushes standard output. Throws LostOutput. A server ends, too, if its first line, with the port
// and the token, cannot be written.
void flush_output();

// For servers. The reader of their output or log may go away or stop. From now on a write without a
// reader fails with EPIPE, and SIGPIPE does not end this process. log_line() does not wait for room
// (log_stream.h), and only one thread at a time may call it. program: the beginning of the line
// that reports lost lines.
void outlive_readers(const std::string& program);

// Flushes standard output. Returns why output was lost; empty: all was written.
std::string lost_output();

} // namespace datum::tools
