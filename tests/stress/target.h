// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/target.h: where a node connects to, also as the text `ADDRESS QUALIFIER`.
#pragma once

#include <string>
#include <sys/socket.h>

#include "dat.h"

namespace datum::stress {

class Target {
 public:
  DAT_CONN_QUAL qualifier = 0;

  void set_address(const DAT_SOCK_ADDR* address);
  DAT_IA_ADDRESS_PTR address() { return reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address_); }

  std::string text() const;
  static bool parse(const std::string& text, Target& target);

 private:
  sockaddr_storage address_{};
};

} // namespace datum::stress
