// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/rendezvous.h: the abstract UNIX sockets by which processes of one network namespace
// find each other.
// Lives here: their names, binding, connecting, whether the holder is the right process.
// Not here:   the handshake over them (shm_dial, half_open), the TCP port beside them (port_claim).
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

// `port_claimed`: a TCP port excludes conflicting names already. Above 65535 the claims do.
ListenResult<GuardedFd> bind_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                                        bool port_claimed);

// 0 or errno; EAGAIN: the holder of the name has a full queue. `socket`: empty, or a socket that
// was tried with another name in vain.
int connect_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                       GuardedFd& socket);

enum class Lookup : std::uint8_t {
  Found,        // connected; nothing has been said yet
  OtherHost,    // the address is not one of this host
  Unknown,      // the kernel did not say whether it is one, or which user may speak for it
  Nobody,       // no process offers shared memory there
  OtherVersion, // a process of another Datum version answers
  Unnamed,      // a process answers whose user is unknown in this user namespace
  Stranger,     // a process answers that does not own the qualifier: as good as none
  Busy,         // a process that may own the qualifier has a full queue
  BusyUnnamed,  // as Busy, at a TCP port in use, and the kernel does not tell the process's user
  NoResources,  // this process lacks descriptors or memory
  Forbidden,    // this process may not connect: a sandbox without AF_UNIX, or a security policy
};
struct Finding {
  Lookup what = Lookup::Nobody;
  int error = 0;             // the errno behind Unknown, NoResources and Forbidden
  std::uint16_t version = 0; // the version that was found (OtherVersion)
};
// Connects to the rendezvous of the address, else to that of every address.
Finding find_rendezvous(const HostAddress& host, ConnQual qualifier, KnownHolders& holders,
                        Instant now, GuardedFd& out);

enum class Right : std::uint8_t { Has, HasNot, Unnamed };
// Whether the process that answers at `name` may speak for that qualifier. Has: it runs as the user
// whose TCP listener has the port. Unnamed: process and listener may belong to any unknown user. If
// no TCP port decides, a process of root or of this user has the right, and any other one if no
// process has claimed the qualifier in the other form. Fails for lack of descriptors.
OrErrno<Right> holder_is_owner(int socket, const std::optional<HostAddress>& name,
                               const HostAddress& dialled, ConnQual qualifier);

inline constexpr ConnQual kLargestPort = 65535;
// Versions are tried from the first one to this many beyond kHandshakeNumber.
inline constexpr unsigned kLaterVersions = 2;

} // namespace datum
