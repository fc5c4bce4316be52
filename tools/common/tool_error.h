// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/tool_error.h: how a tool ends.
// Lives here: the exit codes every tool documents, and the exception that carries one to main().
// Not here:   what a DAT_RETURN means (dat_error.h).
// Tools use exceptions, unlike the libraries: no C caller stands above them, and handles that
// throw from their constructors keep the programs short.
#pragma once

#include <stdexcept>
#include <string>

namespace datum::tools {

enum class ExitCode : int {
  Ok = 0,
  Failed = 1,      // the work was tried and at least a part of it failed
  Usage = 2,       // wrong command line, or this machine is not set up for it
  Interrupted = 3, // SIGINT or SIGTERM
  PeerLost = 4,    // the other process died, hung up or fell silent
  Refused = 5,     // the other side answered, and said no (token, version, no listener)
};

class ToolError : public std::runtime_error {
 public:
  ToolError(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

} // namespace datum::tools
