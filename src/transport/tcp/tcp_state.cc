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

// What is zero the kernel does not tell.
tcp_info info_of(int socket) {
  tcp_info info{};
  info.tcpi_snd_wnd = ~0U; // of old kernels, too
  socklen_t length = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info : tcp_info{};
}

// Nothing is on its way, and still there is something to send: the window has no room for it. Or
// the peer has taken back what it had offered.
bool is_closed(const tcp_info& info) {
  return info.tcpi_unacked == 0 ? info.tcpi_notsent_bytes != 0 : info.tcpi_snd_wnd == 0;
}

} // namespace

TcpState tcp_state(int socket) {
  const tcp_info info = info_of(socket);
  // The SYN counts as one octet.
  const std::uint64_t acknowledged = info.tcpi_bytes_acked;
  return {info.tcpi_rtt * kMicrosecond, acknowledged == 0 ? 0 : acknowledged - 1,
          info.tcpi_bytes_retrans,      info.tcpi_segs_in,
          info.tcpi_segs_out,           is_closed(info)};
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
