// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/listen_error.h: why a process cannot listen at a connection qualifier.
// Lives here: what errno means for a port and for a name, what the consumer is told, what is
//             logged.
// Not here:   taking either; how often a shortage is reported (base/shortage.h).
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
  std::uint16_t port = 0; // the port that was wanted, if it was a certain one
  bool is_name = false;   // a UNIX socket's name was wanted, no port
};
template <class T>
using ListenResult = tl::expected<T, ListenError>;

// The name of a call that a listening socket needs and a filter refuses with this errno, whatever
// the port. nullptr: there is none.
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

// Returns the consumer's return code. The code alone does not help with two failures, so they are
// logged, too, even without memory: a shortage (which limit), and a policy or a filter that refuses
// the port, the name or the call (that it is a policy: neither the port nor a privilege). For a port
// in use and an address that has gone the code says everything, and programs search for a free port
// by it.
tl::unexpected<Status> listen_failure(ShortageLog& shortages, Instant now, const ListenPlace& place,
                                      const ListenError& error);

// The port that a socket is bound to. ENODATA: the kernel gives port 0.
ListenResult<std::uint16_t> bound_port(int socket);

} // namespace datum
