// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/rendezvous.h"

#include <cerrno>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/shortage.h"
#include "base/text.h"
#include "transport/host/abstract_name.h"
#include "transport/host/port_rules.h"
#include "transport/host/qualifier_claim.h"
#include "transport/host/same_user.h"
#include "transport/shm/handshake_wire.h"
#include "transport/shm/known_holders.h"
#include "transport/shm/listener_owner.h"
#include "transport/shm/message_socket.h"

namespace datum {
namespace {

constexpr int kBacklog = 4096; // cut to net.core.somaxconn by the kernel

// Processes of different protocol versions do not find each other, since the version is part of the
// name. Where a transport over TCP is available, they connect over TCP.
constexpr std::string_view kFamily = "datum/";
static_assert(kRendezvousNames.starts_with(kFamily) && kHandshakeNumber < 10 &&
                  kRendezvousNames.substr(kFamily.size()).size() == 1 &&
                  kRendezvousNames.back() == '0' + kHandshakeNumber,
              "kRendezvousNames ends with kHandshakeNumber");

int seqpacket_socket() {
  return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool is_port(ConnQual qualifier) {
  return qualifier >= 1 && qualifier <= kLargestPort;
}

// 0 or errno.
int bind_rendezvous_to(const std::optional<HostAddress>& host, ConnQual qualifier,
                       bool port_claimed, GuardedFd& out) {
  GuardedFd socket = GuardedFd::make(&seqpacket_socket);
  if (!socket) return errno;
  const std::string name = rendezvous_name(host, qualifier);
  if (const int error = take_name(socket.get(), name); error != 0) return error;
  // A process that has the TCP port takes no claim, only a rendezvous. If that rendezvous is for
  // every address and `host` names one address, or the reverse, the two names differ, so
  // take_name() has not found the conflict.
  if (!port_claimed && is_port(qualifier))
    if (const int error = look_for_conflict(kRendezvousNames, host, qualifier); error != 0)
      return error;
  if (::listen(socket.get(), kBacklog) != 0) return errno;
  out = std::move(socket);
  return 0;
}

int connect_to(const std::string& name, GuardedFd& socket) {
  if (!socket) socket = GuardedFd::take(&seqpacket_socket);
  if (!socket) return errno;
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(name, address);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), length) == 0) return 0;
  return errno == EINTR ? EAGAIN : errno;
}

} // namespace

std::string rendezvous_name(const std::optional<HostAddress>& host, ConnQual qualifier) {
  return abstract_name(kRendezvousNames, host, qualifier);
}

std::string rendezvous_name(unsigned version, const std::optional<HostAddress>& host,
                            ConnQual qualifier) {
  return abstract_name(text("{}{}", kFamily, version), host, qualifier);
}

ListenResult<GuardedFd> bind_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                                        bool port_claimed) {
  GuardedFd socket;
  const int error = bind_rendezvous_to(host, qualifier, port_claimed, socket);
  if (error != 0) return tl::unexpected(name_error(error));
  return socket;
}

int connect_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier,
                       GuardedFd& socket) {
  return connect_to(rendezvous_name(host, qualifier), socket);
}

namespace {

struct Sought {
  const HostAddress& host;
  ConnQual qualifier;
  KnownHolders& holders;
  Instant now;
};

OrErrno<Right> right_of(uid_t holder, uid_t owner) {
  if (holder != owner) return Right::HasNot;
  const auto same = is_same_user(holder, owner);
  if (!same) return tl::unexpected(same.error());
  return *same ? Right::Has : Right::Unnamed;
}

// Whether the user `holder` may have the qualifier. If `holder` is empty, the user whose process
// holds the name is unknown, and Has means that some user may have the qualifier.
OrErrno<Right> may_own(std::optional<uid_t> holder, const std::optional<HostAddress>& name,
                       const HostAddress& dialled, ConnQual qualifier) {
  if (is_port(qualifier)) {
    const auto port = static_cast<std::uint16_t>(qualifier);
    const auto owner = tcp_listener_owner(dialled, port);
    if (!owner) return tl::unexpected(owner.error());
    if (*owner) return holder ? right_of(*holder, **owner) : Right::Has;
    if (port >= first_unprivileged_port()) return Right::HasNot;
  }
  // No TCP port tells which user has the qualifier. A process of root or of this user is trusted
  // without further checks, because it may act for this user anyway. A process of another user is
  // trusted unless some process has a conflicting claim: one for every address if `name` is for one
  // address, or the reverse. Then one of the two processes breaks the rules.
  if (holder && *holder == 0) return Right::Has;
  if (holder) {
    const auto ours = is_same_user(*holder, ::geteuid());
    if (!ours) return tl::unexpected(ours.error());
    if (*ours) return Right::Has;
  }
  const auto disputed = is_claimed_otherwise(name, dialled, qualifier);
  if (!disputed) return tl::unexpected(disputed.error());
  return *disputed ? Right::HasNot : Right::Has;
}

Finding without_answer(int error) {
  return {shortage_of(error).lack == Lack::Other ? Lookup::Unknown : Lookup::NoResources, error};
}

// `granted`: the result for Right::Has.
Finding finding_of(const OrErrno<Right>& right, Lookup granted) {
  if (!right) return without_answer(right.error());
  switch (*right) {
  case Right::Has: return {granted};
  case Right::Unnamed: return {Lookup::Unnamed};
  case Right::HasNot: break;
  }
  return {Lookup::Stranger};
}

// Called if the queue of the rendezvous is full. There is no connection whose credentials could be
// checked, so this asks the kernel which user holds the name. Without the check a squatter could
// delay diallers that could connect over TCP.
Finding busy(const std::optional<HostAddress>& name, const Sought& sought) {
  const auto& [host, qualifier, holders, now] = sought;
  // The search for the user takes long, so check first whether any user may have the qualifier.
  // Above 65535 that check decides alone. At a privileged port the check is left out, because
  // without a TCP listener its result may depend on the user.
  const bool is_privileged = is_port(qualifier) && qualifier < first_unprivileged_port();
  if (!is_privileged) {
    const Finding of_anybody =
        finding_of(may_own(std::nullopt, name, host, qualifier), Lookup::Busy);
    if (of_anybody.what != Lookup::Busy || !is_port(qualifier)) return of_anybody;
  }
  const auto holder = holders.find(rendezvous_name(name, qualifier), now);
  if (!holder) return {Lookup::NoResources, holder.error()};
  if (!*holder && is_port(qualifier)) {
    const auto owner = tcp_listener_owner(host, static_cast<std::uint16_t>(qualifier));
    if (!owner) return without_answer(owner.error());
    if (*owner) return {Lookup::BusyUnnamed};
  }
  return finding_of(may_own(*holder, name, host, qualifier), Lookup::Busy);
}

Finding judge(const std::optional<HostAddress>& name, const HostAddress& host, ConnQual qualifier,
              GuardedFd& found) {
  const Finding finding =
      finding_of(holder_is_owner(found.get(), name, host, qualifier), Lookup::Found);
  if (finding.what == Lookup::Found) return finding;
  const auto holder = peer_credentials(found.get());
  found.reset();
  if (!holder || finding.what != Lookup::Stranger) return finding;
  log(LogLevel::Info,
      "dial to {} qualifier {}: process {} of user {} answers there but {}; not used",
      to_text(host), qualifier, holder->pid, holder->uid,
      is_port(qualifier) ? "does not own the TCP port" : "somebody else has claimed the qualifier");
  return finding;
}

Finding look_up(const std::optional<HostAddress>& name, const Sought& sought, GuardedFd& out) {
  const int error = connect_rendezvous(name, sought.qualifier, out);
  if (error == 0) return judge(name, sought.host, sought.qualifier, out);
  if (error == EAGAIN) return busy(name, sought);
  if (error == ECONNREFUSED) return {Lookup::Nobody};
  return {shortage_of(error).lack == Lack::Other ? Lookup::Forbidden : Lookup::NoResources, error};
}

bool listens_there(unsigned version, const std::optional<HostAddress>& name, const Sought& sought) {
  GuardedFd socket;
  return connect_to(rendezvous_name(version, name, sought.qualifier), socket) == 0 &&
         judge(name, sought.host, sought.qualifier, socket).what == Lookup::Found;
}

// Called if no process of this protocol version answers: looks for a process of another version.
// The name does not tell that process's byte order. The result assumes the byte order of this
// process.
Finding look_for_other_versions(const Sought& sought) {
  for (std::uint16_t version = 1; version <= kHandshakeNumber + kLaterVersions; ++version) {
    if (version == kHandshakeNumber) continue;
    if (listens_there(version, sought.host, sought) || listens_there(version, std::nullopt, sought))
      return {Lookup::OtherVersion, 0,
              static_cast<std::uint16_t>(version | (kHandshakeVersion & kBigEndianVersion))};
  }
  return {Lookup::Nobody};
}

} // namespace

Finding find_rendezvous(const HostAddress& host, ConnQual qualifier, KnownHolders& holders,
                        Instant now, GuardedFd& out) {
  const auto local = is_local(host);
  if (!local) return {Lookup::Unknown, local.error()};
  if (!*local) return {Lookup::OtherHost};
  const Sought sought{host, qualifier, holders, now};
  Finding found = look_up(host, sought, out);
  if (found.what == Lookup::Nobody || found.what == Lookup::Stranger ||
      found.what == Lookup::Unnamed) {
    const Finding wildcard = look_up(std::nullopt, sought, out);
    if (wildcard.what != Lookup::Nobody) found = wildcard;
  } else if ((found.what == Lookup::Busy || found.what == Lookup::BusyUnnamed) &&
             look_up(std::nullopt, sought, out).what == Lookup::Found) {
    // The queue at the name of the address is full. The process at the wildcard name has accepted
    // the connection, and has the right to the qualifier.
    found = {Lookup::Found};
  }
  if (found.what != Lookup::Found) out.reset();
  if (found.what == Lookup::Nobody) return look_for_other_versions(sought);
  return found;
}

OrErrno<Right> holder_is_owner(int socket, const std::optional<HostAddress>& name,
                               const HostAddress& dialled, ConnQual qualifier) {
  const auto holder = peer_credentials(socket);
  if (!holder) return tl::unexpected(holder.error());
  return may_own(holder->uid, name, dialled, qualifier);
}

} // namespace datum
