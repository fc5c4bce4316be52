// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/congestion.h: the congestion control of TCP.
// Lives here: Reno within a host; towards other hosts the system's choice.
#pragma once

#include <array>

namespace datum {

// BBR paces: each segment sets a timer of the kernel's, which took 40 % of a sender's time over the
// loopback interface, where pacing helps nothing. Reno does not pace, and every kernel has it and
// lets every process choose it.
class Congestion {
 public:
  Congestion(); // asks the kernel for the system's choice

  // For a socket before listen(), whose connections inherit the choice, or before connect() within
  // the host: a socket that has paced once paces for ever.
  void expect_this_host(int socket) const;
  // For an accepted socket whose other end is on another host.
  void expect_network(int socket) const;

 private:
  using Name = std::array<char, 16>; // TCP_CA_NAME_MAX
  static Name of(int socket);

  Name chosen_{}; // empty: unknown, so nothing is changed
};

} // namespace datum
