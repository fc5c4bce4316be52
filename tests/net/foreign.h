// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/foreign.h: a program that listens on a port and knows nothing of DAT.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "namespace.h"

namespace datum::net {

enum class Manner : std::uint8_t {
  Silent,  // accepts and sends nothing
  Closes,  // accepts, and closes at once
  HangsUp, // sends some octets and closes
  Greets,  // sends some octets and waits
};

// True: a program listens at this port on the calling thread's host.
bool is_taken(std::uint16_t port);

class Foreign {
 public:
  Foreign(const Namespace& host, std::uint16_t port, Manner manner);
  ~Foreign();
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

  // The next `octets` octets that a peer sends to this program; Silent only. Empty: no peer
  // connects.
  std::string hear(std::size_t octets);

 private:
  void serve();

  const Manner manner_;
  int socket_ = -1;
  std::vector<int> guests_;
  std::thread server_;
};

} // namespace datum::net
