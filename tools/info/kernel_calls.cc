// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/kernel_calls.h"

#include <cerrno>
#include <linux/membarrier.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace datum::info {
namespace {

// The numbers are the same on every architecture; the C library's headers may be older than the
// calls.
constexpr long kPidfdOpen = 434, kOpenat2 = 437, kEpollPwait2 = 441;

// The callers pass arguments for which a kernel that has the call returns another error.
bool is_refused(long result) {
  return result < 0 && (errno == ENOSYS || errno == EPERM);
}

bool lacks_pidfd() {
  const long fd = syscall(kPidfdOpen, getpid(), 0);
  const bool refused = is_refused(fd);
  const UniqueFd closed(static_cast<int>(fd));
  return refused;
}

bool lacks_membarrier() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

// A kernel without this netlink family, a filter and an emulator return different errors, so any
// error counts. A shortage does not count, since it may pass.
bool lacks_diagnostics() {
  const UniqueFd asked(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  return !asked && errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS;
}

} // namespace

std::vector<KernelCall> missing_kernel_calls() {
  std::vector<KernelCall> missing;
  if (lacks_diagnostics())
    missing.push_back({"NETLINK_SOCK_DIAG", "3.3",
                       "/proc/net/tcp tells whose a port is, and nothing tells whose a full queue "
                       "is"});
  if (lacks_membarrier())
    missing.push_back({"membarrier", "4.14", "each call of DAT takes somewhat longer"});
  if (lacks_pidfd())
    missing.push_back({"pidfd_open", "5.3",
                       "that a peer has died whose child lives on is noticed by looking twice a "
                       "second"});
  if (is_refused(syscall(kOpenat2, -1, nullptr, nullptr, 0)))
    missing.push_back({"openat2", "5.6", "dat-cp opens a path step by step"});
  if (is_refused(syscall(kEpollPwait2, -1, nullptr, 0, nullptr, nullptr, 0)))
    missing.push_back({"epoll_pwait2", "5.11", "a wait takes two system calls instead of one"});
  return missing;
}

} // namespace datum::info
