// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/options.h: the options that all tools share, and the frame of main().
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/tool_error.h"

namespace datum::tools {

struct CommonOptions {
  std::string ia = "datum";
  bool json = false;
};

void add_ia_option(CLI::App& app, CommonOptions& options);   // --ia NAME
void add_json_option(CLI::App& app, CommonOptions& options); // --json

// Checks for the value of an option. A number consists of decimal digits, without a sign, a blank,
// or a leading 0 or 0x. Seconds may have a fraction.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = UINT64_MAX);
CLI::Validator seconds(double least, double most);
CLI::Validator one_of(std::vector<std::string> words);

// Parses the command line, answers --help and --version, and runs body. Prints wrong usage and a
// ToolError as "NAME: text" on stderr. Returns the exit code for main(): ExitCode::Usage for wrong
// usage, and ExitCode::Failed instead of Ok if output was lost.
int run_tool(CLI::App& app, int argc, char** argv, const std::function<ExitCode()>& body);

// Returns the exit code for an exception that run_tool() did not catch: in practice std::bad_alloc.
// Allocates nothing.
int out_of_memory(const char* program, const std::exception& error);

} // namespace datum::tools
