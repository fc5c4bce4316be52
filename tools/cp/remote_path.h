// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/remote_path.h: HOST[:PORT]:PATH as a user types it.
#pragma once

#include <cstdint>
#include <string>

namespace datum::cp {

inline constexpr std::uint64_t kDefaultPort = 17471;

struct RemotePath {
  std::string host; // without the brackets that an IPv6 address needs
  std::uint64_t port = kDefaultPort;
  std::string path; // below the served folder; "" is that folder
  bool operator==(const RemotePath&) const = default;
};

// Throws ToolError(Usage). If the second field consists of digits, it is a port, and a third field
// has to follow.
RemotePath parse_remote(const std::string& text);

} // namespace datum::cp
