// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/abstract_name.h: names in the abstract UNIX namespace, for tests that know no product.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace datum::test {

// For bind() and connect(); returns the length. `name` is without the leading NUL.
inline socklen_t to_sockaddr(const std::string& name, sockaddr_un& out) {
  out = sockaddr_un{};
  out.sun_family = AF_UNIX;
  std::memcpy(out.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

} // namespace datum::test
