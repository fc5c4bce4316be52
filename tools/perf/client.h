// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/client.h: the active side as a program: which peer it talks to, what it prints.
#pragma once

#include "common/tool_error.h"
#include "perf/command_line.h"

namespace datum::perf {

tools::ExitCode run_client(const CommandLine& line);

} // namespace datum::perf
