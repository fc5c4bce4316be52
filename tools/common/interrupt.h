// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/interrupt.h: Ctrl-C and SIGTERM as a flag that a loop can read.
// Lives here: the handler and its flag. Destructors do the clean-up of a tool.
#pragma once

namespace datum::tools {

// SIGINT and SIGTERM set a flag from now on and interrupt blocking calls (no SA_RESTART).
void catch_interrupts();

bool interrupted();

// Throws ToolError(ExitCode::Interrupted) after a signal.
void throw_if_interrupted();

} // namespace datum::tools
