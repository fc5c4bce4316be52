// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/peer_process.h: a descriptor that becomes readable when a process has died, and a
// check of /proc where no such descriptor can be had. A socket alone is not enough: children of the
// dead process may hold its other end.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.h"

namespace datum {

// A pidfd of this process, to be passed to peers; empty before Linux 5.3.
UniqueFd own_pidfd();

// A pidfd of the process at the other end. SO_PEERPIDFD is preferred (Linux 6.5), then the
// descriptor that the peer passed, which works across pid namespaces, then the pid in SO_PEERCRED.
// A passed descriptor is not used if it names another process than the kernel's credentials do. The
// result may be empty.
UniqueFd peer_pidfd(int socket, UniqueFd passed);

// A process of which no pidfd can be had. Its /proc/<pid>/stat stays open: the open file belongs to
// that process, even if the pid is reused.
class NumberedProcess {
 public:
  // 0: the process is not visible in this pid namespace.
  explicit NumberedProcess(pid_t pid);
  // True: the process has ended or is a zombie. False: it lives, or the kernel does not tell.
  bool has_ended() const;

 private:
  pid_t pid_;
  UniqueFd line_; // /proc/<pid>/stat; may be empty
};

} // namespace datum
