// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run/program.h: the file that a name on the command line means, as shells find it.
// Lives here: the search through PATH, and why a file cannot be started. Not here: starting it
// (main.cc), what it finds in its environment (launch.h).
#pragma once

#include <filesystem>
#include <string>

namespace datum::run {

struct Program {
  std::filesystem::path file; // empty: there is none
  int error = 0;              // why it cannot be started (errno), as far as the search found out
};

// A name with a slash is a file, whether or not that is there. Any other one is looked for in PATH:
// the first file that may be executed, or else the first that may not. What is in a folder that may
// not be searched is not there.
Program find_program(const std::string& name);

// Why execve() has refused the file with this error: its own fault, or that of its interpreter,
// which is named then.
std::string why_not_started(const std::filesystem::path& file, int error);

} // namespace datum::run
