// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/abstract_name.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "transport/host/text_file.h"

namespace datum {

std::string abstract_name(std::string_view family, const std::optional<HostAddress>& host,
                          ConnQual qualifier) {
  return text("{}/{}/{}", family, host ? to_text(*host) : "*", qualifier);
}

socklen_t to_sockaddr(const std::string& name, sockaddr_un& out) {
  out = sockaddr_un{};
  out.sun_family = AF_UNIX;
  // One byte stays NUL in front; the longest name has about 80 bytes.
  const std::size_t length = std::min(name.size(), sizeof out.sun_path - 1);
  std::memcpy(out.sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

int take_name(int socket, const std::string& name) {
  sockaddr_un address{};
  const socklen_t length = to_sockaddr(name, address);
  return ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 ? 0 : errno;
}

bool conflicts(std::string_view sockets, std::string_view family,
               const std::optional<HostAddress>& host, ConnQual qualifier) {
  const std::string prefix = text("@{}/", family);
  const std::string suffix = text("/{}", qualifier);
  while (!sockets.empty()) {
    const std::size_t end = std::min(sockets.find('\n'), sockets.size());
    std::string_view line = sockets.substr(0, end);
    sockets.remove_prefix(std::min(end + 1, sockets.size()));
    const std::size_t at = line.find(prefix);
    if (at == std::string_view::npos || !line.ends_with(suffix)) continue;
    // Skips accepted sockets, which carry the name of their listener as long as their link lives.
    if (line.substr(0, at).find(" 01 ") == std::string_view::npos) continue;
    line.remove_prefix(at + prefix.size());
    line.remove_suffix(suffix.size());
    if ((line == "*") == host.has_value()) return true;
  }
  return false;
}

int look_for_conflict(std::string_view family, const std::optional<HostAddress>& host,
                      ConnQual qualifier) {
  errno = 0;
  const std::string sockets = read_text_file("/proc/net/unix");
  const int error = errno;
  if (error == EMFILE || error == ENFILE || error == ENOMEM) return error;
  return conflicts(sockets, family, host, qualifier) ? EADDRINUSE : 0;
}

} // namespace datum
