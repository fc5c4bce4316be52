// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/port_probe.h: TCP ports that are free at this moment.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

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

// The first of `count` free neighbouring ports, far from the ports that `_any` and the kernel give
// out.
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

// A free port below 1024. No other PrivilegedPort has the same port, not even in another process.
class PrivilegedPort {
 public:
  PrivilegedPort() {
    while (!claimed(number_) || !is_free_port(number_))
      if (++number_ == 1024) throw std::runtime_error("no free port below 1024");
  }
  ~PrivilegedPort() { ::close(claim_); }
  PrivilegedPort(const PrivilegedPort&) = delete;
  PrivilegedPort& operator=(const PrivilegedPort&) = delete;
  [[nodiscard]] std::uint16_t number() const { return number_; }

 private:
  // A socket cannot be bound twice, so each number takes a new socket.
  bool claimed(std::uint16_t number) {
    const std::string name = "datum-test/privileged port/" + std::to_string(number);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path + 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (claim_ >= 0) ::close(claim_);
    claim_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return ::bind(claim_, reinterpret_cast<sockaddr*>(&address), size) == 0;
  }
  int claim_ = -1;
  std::uint16_t number_ = 777; // services rarely use this port and those after it
};

} // namespace datum::test
