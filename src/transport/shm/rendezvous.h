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

// The name for one address, such as "datum/1/127.0.0.1/5000", or for every address of this host,
// such as "datum/1/*/5000" (`host` is empty). The leading NUL of an abstract name is left out. The
// 1 is the version of the handshake protocol.
std::string rendezvous_name(const std::optional<HostAddress>& host, ConnQual qualifier);
// The name for another `version` of the protocol.
std::string rendezvous_name(unsigned version, const std::optional<HostAddress>& host,
                            ConnQual qualifier);

// `port_claimed`: the TCP port excludes conflicting names already, so none is searched for. Above
// 65535 the claims exclude them.
ListenResult<GuardedFd> bind_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                                        bool port_claimed);

// 0 or errno; EAGAIN: the queue at the name is full. `socket` is empty, or a socket whose connect()
// to another name has failed.
int connect_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                       GuardedFd& socket);

enum class Lookup : std::uint8_t {
  Found,        // connected; no message has been sent yet
  OtherHost,    // the address is not one of this host
  Unknown,      // the kernel did not tell whether the address is local, or which user has the port
  Nobody,       // no process offers shared memory there
  OtherVersion, // a process of another protocol version answers
  Unnamed,      // the user of the process that answers is unknown in this user namespace
  Stranger,     // the process that answers does not own the qualifier, and is not used
  Busy,         // a process that may own the qualifier has a full queue
  BusyUnnamed,  // as Busy; the TCP port is in use, and the kernel does not tell the process's user
  NoResources,  // this process lacks descriptors or memory
  Forbidden,    // this process may not connect: a sandbox without AF_UNIX, or a security policy
};
struct Finding {
  Lookup what = Lookup::Nobody;
  int error = 0;             // the errno behind Unknown, NoResources and Forbidden
  std::uint16_t version = 0; // the version that was found (OtherVersion)
};
// Connects to the rendezvous of the address or, if that fails, to the rendezvous of every address.
Finding find_rendezvous(const HostAddress& host, ConnQual qualifier, KnownHolders& holders,
                        Instant now, GuardedFd& out);

enum class Right : std::uint8_t { Has, HasNot, Unnamed };
// Whether the process that answers at `name` may speak for `qualifier`. Where a TCP port decides,
// Has means that the process runs as the user whose TCP listener has the port. Unnamed: the uid of
// both stands for any user that is unknown in this user namespace, so the users may differ. Where
// no TCP port decides, a process of root or of this user has the right. A process of another user
// has it unless some process has a conflicting claim: one for every address if `name` is for one
// address, or the reverse. Fails for lack of descriptors.
OrErrno<Right> holder_is_owner(int socket, const std::optional<HostAddress>& name,
                               const HostAddress& dialled, ConnQual qualifier);

inline constexpr ConnQual kLargestPort = 65535;
// The search for other versions ends at kHandshakeNumber plus this number.
inline constexpr unsigned kLaterVersions = 2;

} // namespace datum
