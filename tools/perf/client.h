// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/client.h: the active side as a program: chooses the peer and prints the results.
#pragma once

#include "common/tool_error.h"
#include "perf/command_line.h"

namespace datum::perf {

tools::ExitCode run_client(const CommandLine& line);

} // namespace datum::perf
