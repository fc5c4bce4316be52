// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/host_interfaces.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
#include <sys/ioctl.h>

#include "base/shortage.h"
#include "base/unique_fd.h"

namespace datum {
namespace {

using Addresses = std::vector<InterfaceAddress>;

std::optional<sockaddr_storage> ip_address(const sockaddr* given) {
  if (given == nullptr || (given->sa_family != AF_INET && given->sa_family != AF_INET6))
    return std::nullopt;
  sockaddr_storage address{};
  std::memcpy(&address, given,
              given->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return address;
}

void add(Addresses& to, const char* interface, unsigned flags, const sockaddr_storage& address) {
  to.push_back({interface, (flags & IFF_UP) != 0, (flags & IFF_LOOPBACK) != 0, address});
}

OrErrno<Addresses> ask_netlink() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return tl::unexpected(errno);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(first, &::freeifaddrs);
  Addresses all;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next)
    if (const auto address = ip_address(each->ifa_addr))
      add(all, each->ifa_name, each->ifa_flags, *address);
  return all;
}

// --- without netlink -----------------------------------------------------------------------------

unsigned flags_of(const UniqueFd& socket, const char* interface) {
  ifreq question{};
  std::strncpy(question.ifr_name, interface, sizeof question.ifr_name - 1);
  // An interface that has gone meanwhile counts as down.
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &question) != 0) return 0;
  return static_cast<unsigned short>(question.ifr_flags);
}

// 0 or errno.
int add_ipv4(const UniqueFd& socket, Addresses& to) {
  ifconf answer{};
  // Asks for the length of the list.
  if (::ioctl(socket.get(), SIOCGIFCONF, &answer) != 0) return errno;
  constexpr std::size_t kMore = 8; // room for addresses that are added meanwhile
  std::vector<ifreq> entries(static_cast<std::size_t>(answer.ifc_len) / sizeof(ifreq) + kMore);
  answer.ifc_len = static_cast<int>(entries.size() * sizeof(ifreq));
  answer.ifc_req = entries.data();
  if (::ioctl(socket.get(), SIOCGIFCONF, &answer) != 0) return errno;
  entries.resize(static_cast<std::size_t>(answer.ifc_len) / sizeof(ifreq));
  for (const ifreq& each : entries)
    if (const auto address = ip_address(&each.ifr_addr))
      add(to, each.ifr_name, flags_of(socket, each.ifr_name), *address);
  return 0;
}

// Reads the address in a line of if_inet6: "address, index of the interface, length of the prefix,
// scope, state, name".
std::optional<sockaddr_storage> read_ipv6(const char (&digits)[33], unsigned interface) {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  for (std::size_t i = 0; i < sizeof v6.sin6_addr; ++i) {
    unsigned octet = 0;
    if (std::sscanf(digits + 2 * i, "%2x", &octet) != 1) return std::nullopt;
    v6.sin6_addr.s6_addr[i] = static_cast<std::uint8_t>(octet);
  }
  if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) v6.sin6_scope_id = interface;
  return ip_address(reinterpret_cast<const sockaddr*>(&v6));
}

// 0 or errno. Without the file there is no IPv6.
int add_ipv6(const UniqueFd& socket, Addresses& to) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(
      std::fopen("/proc/thread-self/net/if_inet6", "re"), &std::fclose);
  if (!file) return shortage_of(errno).lack == Lack::Other ? 0 : errno;
  char digits[33];
  char name[IFNAMSIZ];
  unsigned interface = 0;
  static_assert(IFNAMSIZ == 16);
  while (std::fscanf(file.get(), "%32s %x %*x %*x %*x %15s", digits, &interface, name) == 3)
    if (const auto address = read_ipv6(digits, interface))
      add(to, name, flags_of(socket, name), *address);
  return 0;
}

OrErrno<Addresses> ask_sockets() {
  UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) socket = UniqueFd(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return tl::unexpected(errno);
  Addresses all;
  if (const int error = add_ipv4(socket, all); error != 0) return tl::unexpected(error);
  if (const int error = add_ipv6(socket, all); error != 0) return tl::unexpected(error);
  return all;
}

} // namespace

OrErrno<Addresses> interface_addresses() {
  OrErrno<Addresses> told = ask_netlink();
  // A shortage at this moment is no reason to ask another source.
  if (told || shortage_of(told.error()).lack != Lack::Other) return told;
  return ask_sockets();
}

} // namespace datum
