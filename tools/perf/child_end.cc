// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/child_end.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace datum::perf {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(10);

// pidfd_open(2). The number is the same on every architecture; the C library's headers may be older
// than the call.
constexpr long kPidfdOpen = 434;

bool has_ended(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

} // namespace

ChildEnd::ChildEnd(pid_t child)
    : child_(child), descriptor_(static_cast<int>(syscall(kPidfdOpen, child, 0))) {}

bool ChildEnd::comes_within(std::chrono::milliseconds time) const {
  if (descriptor_) {
    pollfd end = {descriptor_.get(), POLLIN, 0};
    return ::poll(&end, 1, static_cast<int>(time.count())) > 0;
  }
  for (;;) {
    if (has_ended(child_)) return true;
    if (time <= std::chrono::milliseconds(0)) return false;
    const auto part = std::min(time, kBetweenLooks);
    if (::poll(nullptr, 0, static_cast<int>(part.count())) < 0) return false;
    time -= part;
  }
}

} // namespace datum::perf
