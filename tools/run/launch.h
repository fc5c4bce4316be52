// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run/launch.h: the variables that dat-run sets for a program.
// Lives here: finding Datum's libraries, and the variables that lead a program to them.
// Not here:   the command line, exec (main.cc), the program's file (program.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace datum::run {

struct Wishes {
  std::vector<std::string> names; // adapter names that Datum answers: NAME, or NAME=IA
  std::string transport;          // empty: DATUM_TRANSPORT stays as it is
  bool strict = false;
  bool memory = false;
};

// The folder with the libdat.so.1 or libdat2.so.2 that is installed with `program`, which is
// dat-run. Throws ToolError.
std::filesystem::path library_folder(const std::filesystem::path& program);

// Puts Datum before the values that the variables already have. Throws ToolError.
void prepare_environment(const Wishes& wishes, const std::filesystem::path& libraries);

// Why the loader will ignore the environment for this program. Empty: the loader will use it.
std::string obstacle(const std::filesystem::path& program);

} // namespace datum::run
