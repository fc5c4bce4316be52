// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/listen_error.h: why nobody can listen at a connection qualifier.
// Lives here: what errno means of a port and of a name, what the consumer is told, what the log is.
// Not here:   taking either; how often a lack is told (base/shortage.h).
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
  std::uint16_t port = 0; // that was wanted, if it was a certain one
};
template <class T>
using ListenResult = tl::expected<T, ListenError>;

// Of a call that failed with this errno.
ListenError port_error(int error, std::uint16_t port = 0);
ListenError name_error(int error);

// Where somebody listens. No host: at every address of this one; no qualifier: any would do.
struct ListenPlace {
  std::optional<HostAddress> host;
  std::optional<ConnQual> qualifier;
};
// "127.0.0.1 qualifier 5000"
std::string to_text(const ListenPlace& place);

// What the consumer is told. Logged, without memory, too, is what somebody has to mend who learns
// from the code alone neither where nor what: a lack of resources (which limit), a policy that
// refuses the port (that it is one: neither the port nor a privilege). A port that is in use and an
// address that has gone are said whole by their code, and programs look for a free port by it.
tl::unexpected<Status> listen_failure(ShortageLog& shortages, Instant now, const ListenPlace& place,
                                      const ListenError& error);

// The port that a socket is bound to: 0 is none.
ListenResult<std::uint16_t> bound_port(int socket);

} // namespace datum
