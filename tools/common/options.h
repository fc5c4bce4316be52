// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/options.h: the part of the command line that is the same in every tool, and main()'s
// frame.
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

// What an option's value has to be: decimal digits alone, without a sign, a blank, or 0 and 0x in
// front. Times need not be whole.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = UINT64_MAX);
CLI::Validator seconds(double least, double most);
CLI::Validator one_of(std::vector<std::string> words);

// Parses, answers --help and --version, runs body, prints wrong usage and a ToolError as "NAME:
// text" on stderr. Returns what main() returns; wrong usage is ExitCode::Usage, lost output at
// least ExitCode::Failed.
int run_tool(CLI::App& app, int argc, char** argv, const std::function<ExitCode()>& body);

// What main() returns for an exception that run_tool() did not answer: out of memory, and nothing
// else comes that far. Allocates nothing.
int out_of_memory(const char* program, const std::exception& error);

} // namespace datum::tools
