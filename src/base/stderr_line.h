// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/stderr_line.h: writes bytes to stderr. The write cannot end the program, whatever stderr is.
#pragma once

#include <string_view>

namespace datum {

// Makes one write(2). A closed pipe raises no SIGPIPE and a full file no SIGXFSZ, since the program
// never asked for the line. Allocates nothing; errno and the signal mask stay as they were.
void write_to_stderr(std::string_view line);

} // namespace datum
