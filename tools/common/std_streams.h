// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/std_streams.h: the three descriptors that every program expects to be open.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace datum::tools {

// Occupies those of 0, 1 and 2 that are closed. Otherwise the next file or socket that is opened
// gets that number, and output goes into it. Reading or writing an occupied one still fails.
void occupy_standard_descriptors();

// A line on stderr, made printable (human.h). Where that is closed or full the line is lost, and
// nothing else: a server goes on, and an exit code says what it was to say. Only a client waits for a
// reader that is slow.
void log_line(const std::string& line);

// printable() of each line (human.h); newlines and tabs stay. A foreign name in it has to be made
// printable before, lest it begins a line (text_line.h).
std::string printable_lines(std::string_view text);

// Standard output takes no more. run_tool() says so, once.
class LostOutput : public std::runtime_error {
 public:
  explicit LostOutput(const std::string& why)
      : std::runtime_error("cannot write to standard output: " + why) {}
};

// printable_lines() on stdout. Throws LostOutput.
void print_text(std::string_view text);
// Shows what was printed so far. Throws LostOutput: a server, too, ends where its first line, with
// the port and the token, reaches no reader.
void flush_output();

// For servers: the process that reads their output or their log may end, or read no more. From now on
// a write to it fails (EPIPE), as one to a full disk does, and no longer ends this process (SIGPIPE);
// log_line() waits for no room (log_stream.h), and is for one thread at a time. program: as its lines
// begin.
void outlive_readers(const std::string& program);

// Writes out what was printed. Empty: all of it arrived; else why not.
std::string lost_output();

} // namespace datum::tools
