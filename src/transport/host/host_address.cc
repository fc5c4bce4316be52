// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/host_address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <span>

#include "base/host_interfaces.h"
#include "base/shortage.h"
#include "base/socket_call.h"
#include "base/unique_fd.h"

namespace datum {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct RouteQuestion {
  nlmsghdr header;
  rtmsg route;
  alignas(4) std::byte attributes[64];
};

void add_attribute(RouteQuestion& question, unsigned short type, const void* value,
                   std::size_t length) {
  auto* at = reinterpret_cast<std::byte*>(&question) + NLMSG_ALIGN(question.header.nlmsg_len);
  rtattr attribute{};
  attribute.rta_type = type;
  attribute.rta_len = static_cast<unsigned short>(RTA_LENGTH(length));
  std::memcpy(at, &attribute, sizeof attribute);
  std::memcpy(at + sizeof attribute, value, length);
  question.header.nlmsg_len =
      static_cast<std::uint32_t>(NLMSG_ALIGN(question.header.nlmsg_len) + RTA_LENGTH(length));
}

RouteQuestion ask_for(const HostAddress& host) {
  RouteQuestion question{};
  question.header.nlmsg_len = NLMSG_LENGTH(sizeof(rtmsg));
  question.header.nlmsg_type = RTM_GETROUTE;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.route.rtm_family = static_cast<unsigned char>(host.family);
  const bool v4 = host.family == AF_INET;
  question.route.rtm_dst_len = v4 ? 32 : 128;
  add_attribute(question, RTA_DST, host.bytes.data(), v4 ? 4 : 16);
  if (host.scope != 0) add_attribute(question, RTA_OIF, &host.scope, sizeof host.scope);
  return question;
}

bool has(const InterfaceAddress& interface, const HostAddress& host) {
  Address address;
  std::memcpy(address.bytes, &interface.address,
              interface.address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return interface.is_up && read_address(address) == host;
}

// A process that may not ask for routes knows only the addresses of interfaces. For any other
// address this fails with `refused`. A shortage may pass, so it is an error at once.
OrErrno<bool> is_of_an_interface(const HostAddress& host, int refused) {
  if (shortage_of(refused).lack != Lack::Other) return tl::unexpected(refused);
  const auto all = interface_addresses();
  if (!all) return tl::unexpected(all.error());
  for (const InterfaceAddress& each : *all)
    if (has(each, host)) return true;
  return tl::unexpected(refused);
}

} // namespace

bool HostAddress::is_unspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

bool HostAddress::is_multicast() const {
  if (family == AF_INET6) return bytes[0] == 0xff;
  const bool broadcast =
      std::all_of(bytes.begin(), bytes.begin() + 4, [](std::uint8_t b) { return b == 0xff; });
  return (bytes[0] & 0xf0U) == 0xe0 || broadcast;
}

bool HostAddress::is_loopback() const {
  if (family == AF_INET) return bytes[0] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](auto octet) { return octet == 0; }) &&
         bytes.back() == 1;
}

std::optional<HostAddress> read_address(const Address& address) {
  sa_family_t family = AF_UNSPEC;
  std::memcpy(&family, address.bytes + offsetof(sockaddr, sa_family), sizeof family);
  HostAddress host;
  if (family == AF_INET) {
    std::memcpy(host.bytes.data(), address.bytes + offsetof(sockaddr_in, sin_addr), 4);
    return host;
  }
  if (family != AF_INET6) return std::nullopt;
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), address.bytes + offsetof(sockaddr_in6, sin6_addr), 16);
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
    std::copy(bytes.begin() + 12, bytes.end(), host.bytes.begin());
    return host;
  }
  host.family = AF_INET6;
  host.bytes = bytes;
  const bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
  if (link_local)
    std::memcpy(&host.scope, address.bytes + offsetof(sockaddr_in6, sin6_scope_id), 4);
  return host;
}

Address write_address(const HostAddress& host) {
  sockaddr_storage storage{};
  const socklen_t length = to_sockaddr(host, 0, storage);
  Address address;
  std::memcpy(address.bytes, &storage, length);
  return address;
}

std::string to_text(const HostAddress& host) {
  char text[INET6_ADDRSTRLEN] = {};
  if (::inet_ntop(host.family, host.bytes.data(), text, sizeof text) == nullptr) return "?";
  std::string result = text;
  if (host.scope != 0) result += '%' + std::to_string(host.scope);
  return result;
}

socklen_t to_sockaddr(const HostAddress& host, std::uint16_t port, sockaddr_storage& out) {
  out = sockaddr_storage{};
  if (host.family == AF_INET) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, host.bytes.data(), 4);
    std::memcpy(&out, &in, sizeof in);
    return sizeof in;
  }
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(port);
  std::memcpy(&in6.sin6_addr, host.bytes.data(), 16);
  in6.sin6_scope_id = host.scope;
  std::memcpy(&out, &in6, sizeof in6);
  return sizeof in6;
}

// Asks for the route to the address. The list of interfaces is the last resort: a routed block of
// addresses is local without being listed. Binding to an address would prove nothing if
// ip_nonlocal_bind is set.
OrErrno<bool> is_local(const HostAddress& host) {
  if (host.is_loopback()) return true;
  const UniqueFd socket(
      ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  if (!socket) return is_of_an_interface(host, errno);
  const RouteQuestion question = ask_for(host);
  const auto message = std::as_bytes(std::span(&question, 1)).first(question.header.nlmsg_len);
  if (send_octets(socket.get(), message) < 0) return is_of_an_interface(host, errno);
  alignas(nlmsghdr) std::byte answer[1024];
  const ssize_t length = receive_octets(socket.get(), answer);
  if (length < 0) return is_of_an_interface(host, errno);
  if (length < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(rtmsg)))) return false;
  nlmsghdr header{};
  std::memcpy(&header, answer, sizeof header);
  if (header.nlmsg_type != RTM_NEWROUTE) return false;
  rtmsg route{};
  std::memcpy(&route, answer + NLMSG_HDRLEN, sizeof route);
  return route.rtm_type == RTN_LOCAL;
}

// The kernel is asked last, since that takes four system calls. If `own` is a loopback address,
// this does not prove that the peer is on this host: a firewall may redirect other hosts to it.
bool is_within_host(const std::optional<HostAddress>& own, const HostAddress& peer) {
  return own == peer || is_local(peer).value_or(false);
}

bool has_no_network() {
  const auto all = interface_addresses();
  return all && std::none_of(all->begin(), all->end(), [](const auto& each) { return each.is_up; });
}

bool may_bind(const HostAddress& host) {
  const UniqueFd socket(::socket(host.family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage name;
  const socklen_t length = to_sockaddr(host, 0, name);
  return !socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), length) == 0 ||
         errno != EADDRNOTAVAIL;
}

} // namespace datum
