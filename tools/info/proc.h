// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/proc.h: small files of /proc and /sys as values. The parsers are pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum::info {

// Returns the whole text; empty, with errno set, if it cannot be read.
std::string read_text(const std::string& path);
std::string first_line(const std::string& path);
std::optional<long> read_number(const std::string& path);
std::string read_link(const std::string& path); // empty: it cannot be read

// The tables of /proc have lines of fields, with blanks between them. Each function removes what it
// returns.
std::string_view take_line(std::string_view& text);
std::string_view take_field(std::string_view& line);
template <typename Number>
bool to_number(std::string_view text, Number& number, int base = 10) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end && !text.empty();
}

// A line of /proc/PID/maps, without device and offset.
struct MapLine {
  std::uint64_t size = 0;
  bool writable = false;
  std::uint64_t inode = 0;
  std::string path; // "/memfd:datum-link", without " (deleted)"
  bool deleted = false;
};
std::vector<MapLine> parse_maps(std::string_view text);

// A named line of /proc/net/unix.
struct UnixSocket {
  std::uint64_t inode = 0;
  bool listening = false;
  std::string name;       // "@datum/1/*/5000"
  bool connected = false; // neither listening nor connected: the socket only holds its name
};
std::vector<UnixSocket> parse_unix_sockets(std::string_view text);

// 4711 for "socket:[4711]".
std::optional<std::uint64_t> socket_inode(std::string_view link);

// 4711 for "/proc/4711/mem".
std::optional<long> process_of_memory(std::string_view link);

// The value of a variable in /proc/PID/environ, the environment in which the program was started.
std::string environment_value(std::string_view environ, std::string_view name);

// The value in a "Name:" line of /proc/PID/status.
std::string status_field(std::string_view status, std::string_view name);

} // namespace datum::info
