// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/peer_process.h: a descriptor that becomes readable when a process has died, and
// what is asked instead where there is none. A socket alone does not tell: children of the dead
// process may hold its other end.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.h"

namespace datum {

// Of this process, to be passed to peers; empty before Linux 5.3.
UniqueFd own_pidfd();

// Of the process at the other end: what the kernel itself says (Linux 6.5), else what the peer
// passed, which works across pid namespaces, else by number. A passed descriptor that names
// another process than the kernel's credentials do is not used. May be empty.
UniqueFd peer_pidfd(int socket, UniqueFd passed);

// A process that no descriptor of its own can be had of. Its line in /proc stays open: it keeps to
// that process, also when the number is reused.
class NumberedProcess {
 public:
  // 0: it is not visible in our pid namespace.
  explicit NumberedProcess(pid_t pid);
  // A zombie has ended, too. False also where that cannot be known.
  bool has_ended() const;

 private:
  pid_t pid_;
  UniqueFd line_; // /proc/<pid>/stat; may be empty
};

} // namespace datum
