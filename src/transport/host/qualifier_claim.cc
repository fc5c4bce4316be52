// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/qualifier_claim.h"

#include <cerrno>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/shortage.h"
#include "base/text.h"
#include "transport/host/abstract_name.h"

namespace datum {
namespace {

int take(int type, const std::string& name, GuardedFd& out) {
  GuardedFd socket = GuardedFd::make([&] { return ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0); });
  if (!socket) return errno;
  // This process never reads what other processes send to the socket, so the kernel need not keep
  // these data.
  if (::shutdown(socket.get(), SHUT_RD) != 0) return errno;
  if (const int error = take_name(socket.get(), name); error != 0) return error;
  out = std::move(socket);
  return 0;
}

std::string mark_name(int number, ConnQual qualifier) {
  return text("datum/m/{}/{}", number, qualifier);
}

int take_mark(ConnQual qualifier, GuardedFd& out) {
  for (int i = 0; i < kMarks; ++i)
    if (const int error = take(SOCK_DGRAM, mark_name(i, qualifier), out); error != EADDRINUSE)
      return error;
  return EUSERS;
}

// 0: no socket has that name; EADDRINUSE: a socket has it; another errno: a shortage. The process
// that has the name does not notice the connect() of a datagram socket, and need not accept() it.
// Only ECONNREFUSED means that there is no such name.
int look_for(int socket, const std::string& name) {
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(name, address);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), length) == 0) return EADDRINUSE;
  const int error = errno;
  if (error == ECONNREFUSED) return 0;
  return shortage_of(error).lack == Lack::Other ? EADDRINUSE : error;
}

// Searches for the claims of `host` (nullopt: every address), over TCP and over shared memory.
int look_for_claims(int socket, const std::optional<HostAddress>& host, ConnQual qualifier) {
  if (const int found = look_for(socket, abstract_name(kMappedNames, host, qualifier)); found != 0)
    return found;
  return look_for(socket, abstract_name(kSameHostNames, host, qualifier));
}

// Searches for each mark, since marks that have gone leave gaps.
int look_for_marks(int socket, ConnQual qualifier) {
  for (int i = 0; i < kMarks; ++i)
    if (const int found = look_for(socket, mark_name(i, qualifier)); found != 0) return found;
  return 0;
}

int look_for_other_form(const std::optional<HostAddress>& host, ConnQual qualifier) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  return host ? look_for_claims(socket.get(), std::nullopt, qualifier)
              : look_for_marks(socket.get(), qualifier);
}

} // namespace

bool is_taken(int error) {
  return error == EADDRINUSE || error == EUSERS;
}

// Takes the names first, then searches for the other form. So of two processes that want the two
// forms, at least one finds the other.
int claim_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                    ConnQual qualifier, QualifierClaim& out) {
  QualifierClaim claim;
  if (const int error = name_qualifier(family, host, qualifier, claim.name); error != 0)
    return error;
  if (host)
    if (const int error = take_mark(qualifier, claim.mark); error != 0) return error;
  if (const int error = look_for_other_form(host, qualifier); error != 0) return error;
  out = std::move(claim);
  return 0;
}

int name_qualifier(std::string_view family, const std::optional<HostAddress>& host,
                   ConnQual qualifier, GuardedFd& out) {
  return take(SOCK_DGRAM, abstract_name(family, host, qualifier), out);
}

int reserve_rendezvous(const std::optional<HostAddress>& host, ConnQual qualifier, GuardedFd& out) {
  return take(SOCK_SEQPACKET, abstract_name(kRendezvousNames, host, qualifier), out);
}

OrErrno<bool> is_claimed_otherwise(const std::optional<HostAddress>& name,
                                   const HostAddress& dialled, ConnQual qualifier) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return tl::unexpected(errno);
  std::optional<HostAddress> other;
  if (!name) other = dialled;
  const int found = look_for_claims(socket.get(), other, qualifier);
  if (found != 0 && found != EADDRINUSE) return tl::unexpected(found);
  return found == EADDRINUSE;
}

} // namespace datum
