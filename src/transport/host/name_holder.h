// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/name_holder.h: which user's socket listens at a name in the abstract UNIX
// namespace.
// Lives here: the question to the kernel's socket diagnostics. A listener that can be connected to
//             is asked in that way (message_socket.h). This question is for listeners whose queue
//             is full.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "base/status.h"

namespace datum {

// `name` without the leading NUL. Nothing: no socket listens, or the kernel does not answer (before
// Linux 5.3, without the module, or where a filter of system calls forbids the question). Fails for
// lack of descriptors.
OrErrno<std::optional<uid_t>> name_holder(const std::string& name);

} // namespace datum
