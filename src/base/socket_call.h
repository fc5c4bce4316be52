// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/socket_call.h: one piece of octets to a socket or from it.
// Lives here: the choice of the system call. A sandbox may refuse sendto and permit sendmsg, and
//             likewise recvfrom and recvmsg. The calls without a message header are the faster
//             ones.
// Threads:    any; async-signal-safe.
#pragma once

#include <cstddef>
#include <span>
#include <sys/types.h>

namespace datum {

// Both return the length, or -1 with errno set. A refusal in errno means that both calls are
// refused. `flags`: those of send(2) and recv(2).
ssize_t send_octets(int socket, std::span<const std::byte> octets, int flags = 0);
ssize_t receive_octets(int socket, std::span<std::byte> into, int flags = 0);

} // namespace datum
