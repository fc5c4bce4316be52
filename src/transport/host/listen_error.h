// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/listen_error.h: why a process cannot listen at a connection qualifier.
// Lives here: what errno means for a port and for a name, what the consumer is told, what is
//             logged.
// Not here:   taking ports and names; how often a shortage is reported (base/shortage.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "base/shortage.h"
#include "base/status.h"
#include "core/port/types.h"
#include "transport/host/host_address.h"

namespace datum {

struct ListenError {
  Status status;
  int error = 0;          // the errno behind it
  std::uint16_t port = 0; // the port that was wanted; 0: any port
  bool is_name = false;   // a UNIX socket's name was wanted, no port
};
template <class T>
using ListenResult = tl::expected<T, ListenError>;

// The name of a call that a listening socket needs and a filter refuses with this errno, whatever
// the port. nullptr: there is no such call.
const char* refused_listen_call(int error);

// The failure of a call on a port, or on a name, that set this errno.
ListenError port_error(int error, std::uint16_t port = 0);
ListenError name_error(int error);

// Where a process wants to listen. No host: every address of this host; no qualifier: any.
struct ListenPlace {
  std::optional<HostAddress> host;
  std::optional<ConnQual> qualifier;
};
// "127.0.0.1 qualifier 5000"
std::string to_text(const ListenPlace& place);

// Returns the consumer's return code. Two failures are also logged, even without memory, since the
// code alone does not explain them. For a shortage the line names the limit. If a policy or a
// filter refuses the port, the name or the call, the line says that a policy is the cause, not the
// port or a missing privilege. A port in use and an address that has gone are not logged: the code
// says everything, and programs use it to search for a free port.
tl::unexpected<Status> listen_failure(ShortageLog& shortages, Instant now, const ListenPlace& place,
                                      const ListenError& error);

// The port that a socket is bound to. ENODATA: the kernel gives port 0.
ListenResult<std::uint16_t> bound_port(int socket);

} // namespace datum
