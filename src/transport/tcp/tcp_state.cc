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

// A field that this kernel does not report stays 0.
tcp_info info_of(int socket) {
  tcp_info info{};
  info.tcpi_snd_wnd = ~0U; // an old kernel leaves it: then the window counts as open
  socklen_t length = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info : tcp_info{};
}

// The peer's window is closed if octets wait although none are unacknowledged. It is closed, too,
// if some are unacknowledged and the peer has shrunk the window to 0.
bool is_window_closed(const tcp_info& info) {
  return info.tcpi_unacked == 0 ? info.tcpi_notsent_bytes != 0 : info.tcpi_snd_wnd == 0;
}

} // namespace

TcpState tcp_state(int socket) {
  const tcp_info info = info_of(socket);
  // The SYN counts as one octet.
  const std::uint64_t acknowledged = info.tcpi_bytes_acked;
  return {info.tcpi_rtt * kMicrosecond, acknowledged == 0 ? 0 : acknowledged - 1,
          info.tcpi_bytes_retrans,      info.tcpi_segs_in,
          info.tcpi_segs_out,           is_window_closed(info)};
}

std::uint32_t unacknowledged(int socket) {
  int octets = 0;
  return ::ioctl(socket, SIOCOUTQ, &octets) == 0 ? static_cast<std::uint32_t>(octets) : 0;
}

// The kernel reports a listening socket's queue of connections in tcpi_unacked.
std::uint32_t backlog_of(int listening) {
  return info_of(listening).tcpi_unacked;
}

} // namespace datum
