// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/name_holder.h: whose socket listens at a name in the abstract UNIX namespace.
// Lives here: the question to the kernel's socket diagnostics. Whoever can be connected to is asked
//             by that (message_socket.h); this is for those whose queue is full.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "base/status.h"

namespace datum {

// `name` without the leading NUL. Nothing: nobody, or the kernel does not tell (before Linux 5.3,
// without the module, or where a filter of system calls forbids the question). Fails for lack of
// descriptors.
OrErrno<std::optional<uid_t>> name_holder(const std::string& name);

} // namespace datum
