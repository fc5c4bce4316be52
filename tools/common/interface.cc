// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "common/address.h"

namespace datum::tools {

namespace {

std::optional<sockaddr_storage> parse_address(const std::string& text) {
  sockaddr_storage address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
    address.ss_family = AF_INET;
  else if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1)
    address.ss_family = AF_INET6;
  else
    return std::nullopt;
  return address;
}

// bind(2) decides, because the kernel may allow addresses that no interface has (ip_nonlocal_bind).
std::string why_unusable(const sockaddr_storage& address) {
  const UniqueFd socket(::socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  if (!socket || bind(socket.get(), name, sizeof address) == 0 || errno != EADDRNOTAVAIL) return {};
  return fmt::format("no interface here has the address {}", address_text(name));
}

} // namespace

bool is_of_this_host(const sockaddr_storage& address) {
  return why_unusable(address).empty();
}

std::string why_unusable(const std::string& place) {
  if (const auto address = parse_address(place)) return why_unusable(*address);
  const std::string& interface = place;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(first, &freeifaddrs);
  bool there = false, up = false;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (!interface.empty() && interface != each->ifa_name) continue;
    there = true;
    if ((each->ifa_flags & IFF_UP) == 0) continue;
    up = true;
    const int family = each->ifa_addr == nullptr ? AF_UNSPEC : each->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) return {};
  }
  if (interface.empty()) return "no interface here is up and has an IP address";
  if (!there) return fmt::format("there is no interface {} here", interface);
  return fmt::format("{} {}", interface, up ? "has no IP address" : "is down");
}

} // namespace datum::tools
