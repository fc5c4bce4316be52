// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/inet/unix_sockets.h: whether this process may use the sockets by which processes of a
// host find each other.
// Lives here: the question, and what is said where the answer is no.
// Not here:   names (abstract_name.h), and what follows.
// Threads:    any.
#pragma once

#include <string>

namespace datum {

// 0, or the errno with which a sandbox refuses them. What is short now is no refusal.
int refusal_of_unix_sockets();
// "shared memory is not available: ..."
std::string no_shared_memory(int refusal);

} // namespace datum
