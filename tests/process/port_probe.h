// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/port_probe.h: TCP ports that nobody has at this moment.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace datum::test {

inline bool is_free_port(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const bool free = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return free;
}

// The first of `count` neighbours, far from the ports that `_any` and the kernel give out.
inline std::uint16_t free_ports(std::uint16_t count) {
  for (std::uint32_t low = 15000U + static_cast<std::uint32_t>(::getpid()) % 5000U; low < 24000;
       low += count) {
    bool free = true;
    for (std::uint32_t port = low; port < low + count; ++port)
      free = free && is_free_port(static_cast<std::uint16_t>(port));
    if (free) return static_cast<std::uint16_t>(low);
  }
  throw std::runtime_error("no free ports");
}

} // namespace datum::test
