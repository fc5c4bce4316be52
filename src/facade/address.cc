// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/address.h"

#include <netinet/in.h>

#include <cstring>

#include "base/refusal.h"

namespace datum {
namespace {

static_assert(sizeof(sockaddr_in6) <= sizeof(Address));

template <class T>
Address image(const T& socket_address) {
  Address address;
  std::memcpy(address.bytes, &socket_address, sizeof socket_address);
  return address;
}

Result<Address> parse_v4(in_addr_t network_order) {
  const in_addr_t host_order = ntohl(network_order);
  // 224.0.0.0. All addresses from here on are multicast, reserved or broadcast.
  constexpr in_addr_t kFirstMulticast = 0xe0000000;
  if (host_order == INADDR_ANY) return fail(Type::InvalidAddress, Detail::AddressMalformed);
  if (host_order >= kFirstMulticast) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  sockaddr_in canonical{};
  canonical.sin_family = AF_INET;
  canonical.sin_addr.s_addr = network_order;
  return image(canonical);
}

Result<Address> parse_v6(const sockaddr_in6& given) {
  const in6_addr& bytes = given.sin6_addr;
  if (IN6_IS_ADDR_UNSPECIFIED(&bytes)) return fail(Type::InvalidAddress, Detail::AddressMalformed);
  if (IN6_IS_ADDR_MULTICAST(&bytes)) return fail(Type::InvalidAddress, Detail::AddressUnsupported);
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    in_addr_t v4 = 0;
    std::memcpy(&v4, bytes.s6_addr + 12, sizeof v4);
    return parse_v4(v4);
  }
  // A link-local address means nothing without its interface.
  if (IN6_IS_ADDR_LINKLOCAL(&bytes) && given.sin6_scope_id == 0)
    return fail(Type::InvalidAddress, Detail::AddressMalformed);
  sockaddr_in6 canonical{};
  canonical.sin6_family = AF_INET6;
  canonical.sin6_addr = bytes;
  canonical.sin6_scope_id = given.sin6_scope_id;
  return image(canonical);
}

} // namespace

Result<Address> parse_address(const sockaddr& given) {
  // Reads only as much as the family promises, because the caller's storage may be no larger.
  if (given.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &given, sizeof v4);
    return parse_v4(v4.sin_addr.s_addr);
  }
  if (given.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, static_cast<const void*>(&given), sizeof v6);
    return parse_v6(v6);
  }
  note_cause("family of the address", given.sa_family, "AF_INET or AF_INET6", "");
  return fail(Type::InvalidAddress, Detail::AddressUnsupported);
}

} // namespace datum
