// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/rendezvous.h: the abstract UNIX sockets by which processes of one network namespace
// find each other.
// Lives here: their names, binding, connecting, whether the holder is the right process.
// Not here:   what is said over them (shm_dial, half_open), the TCP port beside them (port_claim).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "core/port/types.h"
#include "transport/host/fork_guard.h"
#include "transport/host/host_address.h"
#include "transport/host/listen_error.h"

namespace datum {

class KnownHolders;

// "datum/1/127.0.0.1/5000"; every address of this host: "datum/1/*/5000". Without the leading NUL.
// The number is the version of the protocol that is spoken there.
std::string rendezvous_name(const std::optional<HostAddress>& host, ConnQual qualifier);
// The name for that version of the protocol.
std::string rendezvous_name(unsigned version, const std::optional<HostAddress>& host,
                            ConnQual qualifier);

// `port_claimed`: a TCP port excludes conflicting names already. Beyond 16 bits the claims do.
ListenResult<GuardedFd> bind_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                                        bool port_claimed);

// 0 or errno; EAGAIN: the holder of the name has a full queue. `socket`: empty, or a socket that
// was tried with another name in vain.
int connect_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                       GuardedFd& socket);

enum class Lookup : std::uint8_t {
  Found,     // connected; nothing has been said yet
  OtherHost, // the address is not one of this host
  Unknown,   // a shortage keeps it unknown whether it is
  Nobody,
  OtherVersion, // a process of another Datum version answers
  Unnamed,      // a process answers whose user is unknown in this user namespace
  Stranger,     // a process answers that does not own the qualifier: as good as none
  Busy,
  BusyUnnamed, // as Busy, at a TCP port in use whose user the kernel does not tell
  NoResources,
  Forbidden, // this process may not ask: a sandbox without AF_UNIX, names of another process
};
struct Finding {
  Lookup what = Lookup::Nobody;
  int error = 0;             // the errno behind Unknown, NoResources and Forbidden
  std::uint16_t version = 0; // behind OtherVersion
};
// The rendezvous of the address, else that of every address.
Finding find_rendezvous(const HostAddress& host, ConnQual qualifier, KnownHolders& holders,
                        Instant now, GuardedFd& out);

enum class Right : std::uint8_t { Has, HasNot, Unnamed };
// Whether the process behind a socket that was connected to `name` may speak for that qualifier: it
// belongs to the user whose TCP listener owns the port. Unnamed: both may belong to any user. If no
// port stands behind the qualifier, no other process may have claimed it, unless that process is of
// this user or root. Fails for lack of descriptors.
OrErrno<Right> holder_is_owner(int socket, const std::optional<HostAddress>& name,
                               const HostAddress& dialled, ConnQual qualifier);

inline constexpr ConnQual kLargestPort = 65535;
// Versions are tried from the first one to this many beyond our own.
inline constexpr unsigned kLaterVersions = 2;

} // namespace datum
