// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/kernel_message.h: one message to the kernel or from it, over a socket of
// AF_NETLINK.
// Lives here: the choice of the system call. A sandbox may refuse sendto and permit sendmsg, and
//             likewise recvfrom and recvmsg.
// Not here:   what is asked (host_address, named_sockets, listener_owner), and the socket
//             (diagnostics).
#pragma once

#include <cstddef>
#include <span>
#include <sys/types.h>

namespace datum {

// Both return the length, or -1 with errno set. A refusal in errno means that both calls are
// refused.
ssize_t send_to_kernel(int socket, std::span<const std::byte> message);
ssize_t receive_from_kernel(int socket, std::span<std::byte> into);

} // namespace datum
