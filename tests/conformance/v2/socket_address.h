// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// v2/socket_address.h: an address of either family, as common service points take and report it.
#pragma once

#include "dat.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

namespace datum::test {

class SocketAddress {
 public:
  SocketAddress() = default;
  explicit SocketAddress(DAT_IA_ADDRESS_PTR from) {
    std::memcpy(&image_, from, from->sa_family == AF_INET6 ? sizeof image_.v6 : sizeof image_.v4);
  }
  DAT_IA_ADDRESS_PTR pointer() { return &image_.any; }
  int family() const { return image_.any.sa_family; }
  void set_family(sa_family_t family) { image_.any.sa_family = family; }
  // The port is at the same place in both families.
  in_port_t port() const { return ntohs(image_.v4.sin_port); }
  void set_port(in_port_t port) { image_.v4.sin_port = htons(port); }
  std::string host() const {
    char text[INET6_ADDRSTRLEN] = {};
    const void* host = &image_.v4.sin_addr;
    if (family() == AF_INET6) host = &image_.v6.sin6_addr;
    return ::inet_ntop(family(), host, text, sizeof text);
  }
  void set_every_host() {
    if (family() == AF_INET6)
      image_.v6.sin6_addr = in6addr_any;
    else
      image_.v4.sin_addr.s_addr = INADDR_ANY;
  }

 private:
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } image_{};
};

} // namespace datum::test
