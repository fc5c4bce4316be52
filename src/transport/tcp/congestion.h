// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/congestion.h: how TCP finds out what the network between two ends takes.
// Lives here: Reno where there is no network; elsewhere what the system has chosen.
#pragma once

#include <array>

namespace datum {

// BBR paces: each segment sets a timer of the kernel's, which took 40 % of a sender's time over the
// loopback interface, where nobody else's octets are on the way. Reno does not, and every kernel
// has it and lets every process take it.
class Congestion {
 public:
  Congestion(); // what the system has chosen by now

  // A socket that listens, whose connections begin as it is, or one that connects within the host
  // next: whoever paces once does so for ever, so it has to be said before.
  void expect_this_host(int socket) const;
  // Of one that was accepted: the other end is on another host.
  void expect_network(int socket) const;

 private:
  using Name = std::array<char, 16>; // TCP_CA_NAME_MAX
  static Name of(int socket);

  Name chosen_{}; // empty: not known, so nothing is changed
};

} // namespace datum
