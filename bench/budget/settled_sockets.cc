// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "budget/settled_sockets.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <string>
#include <sys/socket.h>

namespace budget {
namespace {

constexpr int kMostLooks = 5'000'000; // some seconds

// False: `socket` is not a connected TCP socket.
bool counters_of(int socket, tcp_info& info) {
  socklen_t length = sizeof info;
  std::memset(&info, 0, sizeof info);
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
         info.tcpi_state == 1; // established
}

} // namespace

SettledSockets SettledSockets::of_this_process() {
  SettledSockets found;
  tcp_info info;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int socket = -1;
    std::from_chars(name.data(), name.data() + name.size(), socket);
    if (counters_of(socket, info)) found.sockets_.push_back(socket);
  }
  return found;
}

// The sockets are connected with each other, so all octets that were sent arrive at one of these
// sockets.
bool SettledSockets::settle() const {
  for (int look = 0; look < kMostLooks; ++look) {
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    bool unsent = false;
    tcp_info info;
    for (const int socket : sockets_) {
      if (!counters_of(socket, info)) return false;
      sent += info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
      arrived += info.tcpi_bytes_received;
      unsent = unsent || info.tcpi_notsent_bytes != 0;
    }
    if (sent == arrived && !unsent) return true;
    ::sched_yield();
  }
  return false;
}

} // namespace budget
