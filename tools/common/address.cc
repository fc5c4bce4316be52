// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>

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
