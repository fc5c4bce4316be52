// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/peer_process.h: a descriptor that becomes readable when a process has died.
// A socket alone does not tell: children of the dead process may hold its other end.
#pragma once

#include "base/unique_fd.h"

namespace datum {

// Of this process, to be passed to peers; empty before Linux 5.3.
UniqueFd own_pidfd();

// Of the process at the other end: what the kernel itself says (Linux 6.5), else what the peer
// passed, which works across pid namespaces, else by number. A passed descriptor that names
// another process than the kernel's credentials do is not used. May be empty.
UniqueFd peer_pidfd(int socket, UniqueFd passed);

} // namespace datum
