// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/listen_error.h"

#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>

#include "base/log.h"
#include "base/refused_calls.h"
#include "base/text.h"
#include "transport/host/qualifier_claim.h"

namespace datum {
namespace {

constexpr Status kNoSocket{Type::InsufficientResources, Detail::ResourceDevice};

std::uint16_t port_in(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

void tell(ShortageLog& shortages, Instant now, const auto& line) {
  if (!shortages.may_tell(Lack::Other, now)) return;
  try {
    log(LogLevel::Warn, "{}", line());
  } catch (const std::bad_alloc&) {
    log_out_of_memory();
  }
}

// For EUSERS of claim_qualifier(). The kernel lacks nothing, and its text for this errno ("Too many
// users") would mislead.
std::string no_mark(const ListenPlace& place) {
  return text(
      "listening at {}: none of the {} marks of this qualifier is free: as many addresses of "
      "this host have it, or somebody holds their names (@datum/m/ in /proc/net/unix)",
      to_text(place), kMarks);
}

// A missing privilege is logged by the caller, which knows whether it matters.
std::string forbidden(const ListenPlace& place, const ListenError& error) {
  const char* const why = std::strerror(error.error);
  if (const char* const call = refused_listen_call(error.error))
    return text(
        "listening at {}: the sandbox of this process (seccomp) refuses the system call {}: "
        "{}; permit it, dat-info --check names all such calls",
        to_text(place), call, why);
  if (error.is_name)
    return text("listening at {}: no socket for it: {}; a sandbox of this process (seccomp, "
                "SELinux, AppArmor) refuses bind or listen: permit both, dat-info --check names "
                "calls",
                to_text(place), why);
  return text("listening at {}: a security policy of this process (Landlock, seccomp, SELinux) "
              "refuses {}: {}; permit it, or choose one that is permitted",
              to_text(place), error.port == 0 ? "every port" : text("port {}", error.port), why);
}

} // namespace

const char* refused_listen_call(int error) {
  for (const SystemCall call :
       {SystemCall::Bind, SystemCall::Listen, SystemCall::Socket, SystemCall::GetSocketName})
    if (refusal_of(call) == error) return name_of(call);
  return nullptr;
}

ListenError port_error(int error, std::uint16_t port) {
  if (is_refusal_of_call(error)) return {Type::ConnQualUnavailable, error, port};
  switch (error) {
  case EADDRINUSE: return {Type::ConnQualInUse, error, port};
  case EADDRNOTAVAIL: return {{Type::InvalidAddress, Detail::AddressUnreachable}, error, port};
  default: return {kNoSocket, error, port};
  }
}

ListenError name_error(int error) {
  if (is_refusal_of_call(error)) return {Type::ConnQualUnavailable, error, 0, true};
  return {error == EADDRINUSE ? Status(Type::ConnQualInUse) : kNoSocket, error, 0, true};
}

std::string to_text(const ListenPlace& place) {
  const std::string host = place.host ? to_text(*place.host) : "every address";
  return place.qualifier ? text("{} qualifier {}", host, *place.qualifier)
                         : host + " any qualifier";
}

tl::unexpected<Status> listen_failure(ShortageLog& shortages, Instant now, const ListenPlace& place,
                                      const ListenError& error) {
  if (error.error == EUSERS)
    tell(shortages, now, [&] { return no_mark(place); });
  else if (error.status.type() == Type::ConnQualUnavailable)
    tell(shortages, now, [&] { return forbidden(place, error); });
  else if (error.status.type() == Type::InsufficientResources)
    shortages.tell(shortage_of(error.error), now,
                   [&] { return text("listening at {}: no socket for it", to_text(place)); });
  return fail(error.status);
}

ListenResult<std::uint16_t> bound_port(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return tl::unexpected(port_error(errno));
  const std::uint16_t port = port_in(address);
  // getsockname() did not fail, so it has set no errno.
  if (port == 0) return tl::unexpected(port_error(ENODATA));
  return port;
}

} // namespace datum
