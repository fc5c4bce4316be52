// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/abstract_name.h: names in the abstract UNIX namespace that show which process has
// a connection qualifier of an address. A name exists as long as its socket.
// Lives here: the names; taking one; the rule that the name of every address and the name of a
//             single address exclude each other. The rule is needed if a privileged process has a
//             port below 1024 and no claim.
// Not here:   the use of the sockets. In all other cases the two names exclude each other by other
//             means: up to 65535 by the TCP port, above by the claims (qualifier_claim).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/port/types.h"
#include "transport/host/host_address.h"

namespace datum {

// "FAMILY/127.0.0.1/5000"; every address of this host: "FAMILY/*/5000". Without the leading NUL.
std::string abstract_name(std::string_view family, const std::optional<HostAddress>& host,
                          ConnQual qualifier);
// For bind() and connect(); returns the length.
socklen_t to_sockaddr(const std::string& name, sockaddr_un& out);

// 0 or errno; EADDRINUSE: another socket has that very name.
int take_name(int socket, const std::string& name);

// True: a socket has a name of `family` that conflicts with the name of `host` and `qualifier`. The
// name of every address conflicts with that of any single address. `sockets` is the text of
// /proc/net/unix.
bool conflicts(std::string_view sockets, std::string_view family,
               const std::optional<HostAddress>& host, ConnQual qualifier);
// Searches /proc/net/unix for a conflict, as it is now. Returns 0, EADDRINUSE or another errno.
// Take the name first, then search: of two processes that conflict, at least one finds the other.
int look_for_conflict(std::string_view family, const std::optional<HostAddress>& host,
                      ConnQual qualifier);

} // namespace datum
