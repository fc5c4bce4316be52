// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/name_holder.h: which user's socket listens at a name in the abstract UNIX
// namespace.
// Lives here: the search in the kernel's socket diagnostics. It is for a listener whose queue is
//             full. If a process can connect to a listener, the socket tells the user
//             (message_socket.h).
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "base/status.h"

namespace datum {

// `name` has no leading NUL. nullopt: no socket listens, or the kernel does not answer (before
// Linux 5.3, without the module, or if a filter of system calls forbids the question). Fails for
// lack of descriptors.
OrErrno<std::optional<uid_t>> user_listening_at(const std::string& name);

} // namespace datum
