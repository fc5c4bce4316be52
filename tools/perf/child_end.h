// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/child_end.h: whether a child of this process has ended. Does not reap the child.
// Lives here: the wait for the child's pidfd, and polling on kernels without pidfds (before Linux
//             5.3).
#pragma once

#include <chrono>

#include <sys/types.h>

#include "base/unique_fd.h"

namespace datum::perf {

class ChildEnd {
 public:
  explicit ChildEnd(pid_t child);
  // True: the child has ended. False: the time is over, or a signal interrupted the wait.
  [[nodiscard]] bool comes_within(std::chrono::milliseconds time) const;

 private:
  pid_t child_;
  UniqueFd descriptor_;
};

} // namespace datum::perf
