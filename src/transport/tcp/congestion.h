// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/congestion.h: the congestion control of TCP.
// Lives here: connections within a host get Reno, those to other hosts what the system has chosen.
#pragma once

#include <array>

namespace datum {

// BBR paces segments, with a kernel timer for each. Over the loopback interface these timers took
// 40 % of a sender's time, and pacing is useless there. Reno does not pace. Every kernel has Reno,
// and lets every process choose it.
class Congestion {
 public:
  Congestion(); // asks the kernel for the system's choice

  // Call it before listen(), since accepted connections inherit the choice, or before connect() to
  // a peer on this host. Later is too late: a socket that has paced once paces for ever.
  void expect_this_host(int socket) const;
  // For an accepted socket whose other end is on another host.
  void expect_network(int socket) const;

 private:
  using Name = std::array<char, 16>; // TCP_CA_NAME_MAX
  static Name of(int socket);

  Name chosen_{}; // empty: unknown, so nothing is changed
};

} // namespace datum
