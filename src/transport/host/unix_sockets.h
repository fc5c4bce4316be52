// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/unix_sockets.h: whether this process may use the sockets by which processes of a
// host find each other.
// Lives here: trying the system calls, and the text about a refusal.
// Not here:   names (abstract_name.h), and the choice of TCP.
// Threads:    any.
#pragma once

#include <optional>
#include <string>

namespace datum {

struct SocketRefusal {
  const char* call = "socket"; // the system call
  int error = 0;               // the errno with which a sandbox refuses it
};

// The refusal of a call that every link needs, whichever side dials. nullopt: no such call is
// refused. A shortage is no refusal.
std::optional<SocketRefusal> refusal_of_unix_sockets();
// "this process may not use UNIX sockets (AF_UNIX): ..."
std::string to_text(const SocketRefusal& refusal);
// "shared memory is not available: ..."
std::string no_shared_memory(const SocketRefusal& refusal);

} // namespace datum
