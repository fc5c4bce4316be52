// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/refused_calls.h"
#include "base/unique_fd.h"
#include "common/tool_error.h"

namespace datum::tools {
namespace {

// Returns the result of getaddrinfo(3).
int look_up(const std::string& host, int family, Address& address) {
  addrinfo hints = {};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    return error;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  std::memcpy(&address.storage, found->ai_addr,
              std::min<std::size_t>(found->ai_addrlen, sizeof address.storage));
  return 0;
}

// The resolver needs some descriptors for a moment. If it gets none, it reports the host as
// unknown.
bool lacks_descriptors() {
  std::array<UniqueFd, 4> files;
  for (UniqueFd& file : files) {
    file = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!file && (errno == EMFILE || errno == ENFILE)) return true;
  }
  return false;
}

using RefusedCall = std::pair<const char*, int>; // the name and the error

// True: getaddrinfo() has got no answer, or none that it could read. With any other error a name
// server may have said that there is no such host, whatever a filter refuses.
bool got_no_answer(int error) {
  return error == EAI_AGAIN || error == EAI_FAIL || error == EAI_SYSTEM;
}

// The C library asks for both families by one call.
std::optional<RefusedCall> refused_sendmmsg() {
  mmsghdr nothing = {};
  if (sendmmsg(-1, &nothing, 1, MSG_NOSIGNAL) >= 0 || errno == EBADF) return std::nullopt;
  return RefusedCall("sendmmsg", errno);
}

std::optional<RefusedCall> refused_poll() {
  if (poll(nullptr, 0, 0) >= 0 || errno == EINTR) return std::nullopt;
#ifdef SYS_poll
  return RefusedCall("poll", errno);
#else
  return RefusedCall("ppoll", errno);
#endif
}

// A system call that the resolver needs and a filter of this process refuses. The resolver takes
// the refusal for an answer, and blames the host or the name service. `error`: of getaddrinfo().
std::optional<RefusedCall> refused_to_resolver(int error) {
  // The resolver reads /etc/hosts by lseek(2), and takes a refusal for a file without that host.
  if (lseek(-1, 0, SEEK_CUR) < 0 && errno != EBADF) return RefusedCall("lseek", errno);
  if (!got_no_answer(error)) return std::nullopt;
  for (const SystemCall call : {SystemCall::Socket, SystemCall::Connect, SystemCall::SendTo,
                                SystemCall::ReceiveFrom, SystemCall::ReceiveMessage})
    if (const int why = refusal_of(call); why != 0) return RefusedCall(name_of(call), why);
  if (const auto refused = refused_sendmmsg()) return refused;
  return refused_poll();
}

// Removes the brackets in which an IPv6 address is written before a port.
std::string without_brackets(const std::string& host) {
  if (!host.starts_with('[') || !host.ends_with(']')) return host;
  std::string inside = host.substr(1, host.size() - 2);
  if (inside.find(':') == std::string::npos)
    throw ToolError(
        ExitCode::Usage,
        fmt::format("host \"{}\": brackets are for an IPv6 address, a name has none", host));
  return inside;
}

} // namespace

Address resolve(const std::string& host, int family) {
  Address address;
  const std::string name = without_brackets(host);
  const int error = look_up(name, family, address);
  if (error == 0) return address;
  if (family != AF_UNSPEC && look_up(name, AF_UNSPEC, address) == 0)
    throw ToolError(
        ExitCode::Usage,
        fmt::format("host \"{}\" has no IPv{} address, only {} (leave the family open, or "
                    "name another host)",
                    host, family == AF_INET ? 4 : 6,
                    address_text(reinterpret_cast<sockaddr*>(&address.storage))));
  if (lacks_descriptors())
    throw ToolError(ExitCode::Usage,
                    fmt::format("host \"{}\" cannot be looked up: {} (ulimit -n shows the limit)",
                                host, std::strerror(EMFILE)));
  if (const auto refused = refused_to_resolver(error))
    throw ToolError(ExitCode::Usage,
                    fmt::format("host \"{}\" cannot be looked up: the sandbox of this process "
                                "(seccomp) refuses the system call {}: {} (an address in digits "
                                "needs no look-up)",
                                host, refused->first, std::strerror(refused->second)));
  throw ToolError(ExitCode::Usage, fmt::format("host \"{}\": {} (use a name or an address that "
                                               "'getent hosts' knows)",
                                               host, gai_strerror(error)));
}

std::string address_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (address == nullptr) return "?";
  if (address->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
  } else {
    return "?";
  }
  return text.data();
}

} // namespace datum::tools
