// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/interrupt.h: Ctrl-C and SIGTERM as a question a loop can ask.
// Lives here: the handler and its flag. Not here: what a tool cleans up; destructors do that.
#pragma once

namespace datum::tools {

// SIGINT and SIGTERM set a flag from now on and interrupt blocking calls (no SA_RESTART).
void catch_interrupts();

bool interrupted();

// Throws ToolError(ExitCode::Interrupted) once a signal came.
void throw_if_interrupted();

} // namespace datum::tools
