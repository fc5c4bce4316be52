// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/diagnostics.h: the way to the kernel's socket diagnostics.
// Lives here: whether they can be asked at all. Some kernels lack them, and a filter of system
//             calls may keep a process from them (RestrictAddressFamilies= of systemd, containers).
// Not here:   the questions (listener_owner, named_sockets).
#pragma once

#include "base/status.h"
#include "base/unique_fd.h"

namespace datum {

// Empty: diagnostics are refused to this process for good. Fails for lack of descriptors.
OrErrno<UniqueFd> open_diagnostics();

} // namespace datum
