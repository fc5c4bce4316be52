// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run/launch.h: what dat-run puts into the environment of a program.
// Lives here: finding Datum's libraries, and the variables that lead a program to them.
// Not here:   the command line, exec (main.cc), the program's file (program.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace datum::run {

struct Wishes {
  std::vector<std::string> names; // each answered by Datum: NAME, or NAME=IA
  std::string transport;          // empty: as the environment says
  bool strict = false;
  bool memory = false;
};

// The folder of libdat.so.1 or libdat2.so.2 that belongs to this program. Throws ToolError.
std::filesystem::path library_folder(const std::filesystem::path& program);

// Puts Datum in front of whatever the environment names already. Throws ToolError.
void prepare_environment(const Wishes& wishes, const std::filesystem::path& libraries);

// Where the loader does not do what the environment says: empty, or why.
std::string obstacle(const std::filesystem::path& program);

} // namespace datum::run
