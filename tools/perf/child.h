// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/child.h: a program that runs beside us, and ends with us.
// Lives here: finding it, starting it, waiting with a bound, what it printed, its end.
#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "base/unique_fd.h"
#include "common/dat_events.h"
#include "perf/child_end.h"
#include "perf/compare_tools.h"

namespace datum::perf {

// In the absolute folders of PATH; "" if it is in none.
std::string find_program(const std::string& name);

// It and what it starts are a process group, which the destructor ends. If we are killed, the
// kernel ends it.
class Child {
 public:
  // Throws ToolError(Failed) when there is no such program, or no process for it.
  explicit Child(const Command& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // True: it has ended. Throws ToolError(Interrupted) on Ctrl-C.
  bool wait(tools::Deadline deadline);
  // How; empty: by itself, with 0. Only once it has ended.
  [[nodiscard]] std::string failure() const;
  // The first 64 KiB of stdout and stderr, in the order of writing.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  UniqueFd output_;
  std::optional<ChildEnd> end_;
  pid_t pid_ = -1;
};

} // namespace datum::perf
