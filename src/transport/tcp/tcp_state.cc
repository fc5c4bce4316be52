// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_state.h"

// Not <netinet/tcp.h>, which has an older tcp_info of the same name.
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace datum {

namespace {

// All zero: the kernel does not tell.
tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t length = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info : tcp_info{};
}

} // namespace

TcpState tcp_state(int socket) {
  const tcp_info info = info_of(socket);
  // The SYN counts as one octet.
  const std::uint64_t acknowledged = info.tcpi_bytes_acked;
  return {info.tcpi_rtt * kMicrosecond, acknowledged == 0 ? 0 : acknowledged - 1,
          info.tcpi_bytes_retrans};
}

std::uint32_t unacknowledged(int socket) {
  int octets = 0;
  return ::ioctl(socket, SIOCOUTQ, &octets) == 0 ? static_cast<std::uint32_t>(octets) : 0;
}

// What counts segments elsewhere counts connections of a socket that listens.
std::uint32_t backlog_of(int listening) {
  return info_of(listening).tcpi_unacked;
}

} // namespace datum
