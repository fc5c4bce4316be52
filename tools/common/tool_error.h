// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/tool_error.h: the exit codes of the tools.
// Lives here: the exit codes that every tool documents, and the exception that carries one to
//             main().
// Not here:   what a DAT_RETURN means (dat_error.h).
// Unlike the libraries, the tools use exceptions: they have no C caller, and constructors that
// throw keep them short.
#pragma once

#include <stdexcept>
#include <string>

namespace datum::tools {

enum class ExitCode : int {
  Ok = 0,
  Failed = 1,      // the work was tried, and at least a part of it failed
  Usage = 2,       // wrong command line, or this machine is not set up for it
  Interrupted = 3, // SIGINT or SIGTERM
  PeerLost = 4,    // the other process died, closed the connection or did not answer
  Refused = 5,     // the other side refused: wrong token or version, or no listener
};

class ToolError : public std::runtime_error {
 public:
  ToolError(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

} // namespace datum::tools
