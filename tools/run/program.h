// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run/program.h: finds the file for a program name, as shells do.
// Lives here: the search through PATH, and why a file cannot be started.
// Not here:   starting it (main.cc), its environment (launch.h).
#pragma once

#include <filesystem>
#include <string>

namespace datum::run {

struct Program {
  std::filesystem::path file; // empty: no file was found
  // why it cannot be started (errno), if the search found that out; else 0
  int error = 0;
};

// A name with a slash is returned unchanged, whether or not the file exists. Any other name is
// searched in PATH. The result is the first file that can be executed, or else the first file that
// cannot. Files in a folder without search permission count as absent.
Program find_program(const std::string& name);

// Why execve(2) has refused the file with this error. If the cause is the interpreter, the text
// names it.
std::string why_not_started(const std::filesystem::path& file, int error);

} // namespace datum::run
