// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/proc.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace datum::info {
namespace {

bool parse_map(std::string_view line, MapLine& map) {
  const std::string_view range = take_field(line), rights = take_field(line);
  take_field(line); // offset
  take_field(line); // device
  const std::string_view inode = take_field(line);
  const std::size_t dash = range.find('-');
  std::uint64_t first = 0, last = 0;
  if (dash == std::string_view::npos || !to_number(range.substr(0, dash), first, 16) ||
      !to_number(range.substr(dash + 1), last, 16) || !to_number(inode, map.inode))
    return false;
  map.size = last - first;
  map.writable = rights.find('w') != std::string_view::npos;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  constexpr std::string_view kDeleted = " (deleted)";
  map.deleted = line.ends_with(kDeleted);
  if (map.deleted) line.remove_suffix(kDeleted.size());
  map.path = line;
  return true;
}

} // namespace

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end);
  return field;
}

std::string read_text(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 64 * 1024> piece;
  errno = 0;
  for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  const int error = errno;
  close(file);
  errno = error;
  return text;
}

std::string first_line(const std::string& path) {
  const std::string text = read_text(path);
  return text.substr(0, text.find('\n'));
}

std::optional<long> read_number(const std::string& path) {
  long number = 0;
  if (!to_number(std::string_view(first_line(path)), number)) return std::nullopt;
  return number;
}

std::string read_link(const std::string& path) {
  std::array<char, PATH_MAX> target = {};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  return length < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

std::vector<MapLine> parse_maps(std::string_view text) {
  std::vector<MapLine> maps;
  while (!text.empty())
    if (MapLine map; parse_map(take_line(text), map)) maps.push_back(std::move(map));
  return maps;
}

std::vector<UnixSocket> parse_unix_sockets(std::string_view text) {
  std::vector<UnixSocket> sockets;
  take_line(text); // the head
  while (!text.empty()) {
    std::string_view line = take_line(text);
    for (int skipped = 0; skipped < 3; ++skipped) take_field(line); // address, references, protocol
    const std::string_view flags = take_field(line);
    take_field(line); // type
    const std::string_view state = take_field(line);
    UnixSocket socket;
    if (!to_number(take_field(line), socket.inode)) continue;
    socket.name = take_field(line);
    socket.listening = flags == "00010000"; // __SO_ACCEPTCON
    socket.connected = state == "03";       // SS_CONNECTED
    if (!socket.name.empty()) sockets.push_back(std::move(socket));
  }
  return sockets;
}

std::optional<long> process_of_memory(std::string_view link) {
  constexpr std::string_view kPrefix = "/proc/";
  constexpr std::string_view kSuffix = "/mem";
  if (!link.starts_with(kPrefix) || !link.ends_with(kSuffix) ||
      link.size() <= kPrefix.size() + kSuffix.size())
    return std::nullopt;
  std::uint64_t number = 0;
  link.remove_prefix(kPrefix.size());
  link.remove_suffix(kSuffix.size());
  if (!to_number(link, number)) return std::nullopt;
  return static_cast<long>(number);
}

std::optional<std::uint64_t> socket_inode(std::string_view link) {
  constexpr std::string_view kPrefix = "socket:[";
  if (!link.starts_with(kPrefix) || !link.ends_with(']')) return std::nullopt;
  std::uint64_t inode = 0;
  if (!to_number(link.substr(kPrefix.size(), link.size() - kPrefix.size() - 1), inode))
    return std::nullopt;
  return inode;
}

std::string environment_value(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const std::size_t end = std::min(environ.find('\0'), environ.size());
    const std::string_view entry = environ.substr(0, end);
    environ.remove_prefix(std::min(end + 1, environ.size()));
    if (entry.starts_with(name) && entry.substr(name.size(), 1) == "=")
      return std::string(entry.substr(name.size() + 1));
  }
  return {};
}

std::string status_field(std::string_view status, std::string_view name) {
  while (!status.empty()) {
    std::string_view line = take_line(status);
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return std::string(line);
  }
  return {};
}

} // namespace datum::info
