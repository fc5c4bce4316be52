// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/child.h: a program that runs beside this process, and ends with it.
// Lives here: finding, starting and ending the program, a wait with a bound, and the program's
//             output.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/unique_fd.h"
#include "common/dat_events.h"
#include "perf/child_end.h"
#include "perf/compare_tools.h"

namespace datum::perf {

// The path of the program in the first absolute folder of PATH that has it; "": no folder has it.
std::string find_program(const std::string& name);

// The program and the processes that it starts are a process group, which the destructor ends: by
// SIGTERM, and by SIGKILL as soon as the program itself has ended, or when its time for that is
// over. If this process is killed, the kernel kills the program.
class Child {
 public:
  // Throws ToolError(Failed) if there is no such program, or if fork(2) fails.
  explicit Child(const Command& command, std::chrono::milliseconds to_end = kToEnd);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // True: the program has ended. Throws ToolError(Interrupted) on Ctrl-C.
  bool wait(tools::Deadline deadline);
  // How the program ended; empty: it exited with 0. Call this only after the program has ended.
  [[nodiscard]] std::string failure() const;
  // The first 64 KiB of stdout and stderr, in the order of writing.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  static constexpr std::chrono::milliseconds kToEnd{1000};
  const std::chrono::milliseconds to_end_; // between SIGTERM and SIGKILL
  UniqueFd output_;
  std::optional<ChildEnd> end_;
  pid_t pid_ = -1;
};

} // namespace datum::perf
