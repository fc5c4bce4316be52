// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/conf/conf_file.h: choosing the dat.conf to use, and reading it.
// Not here:   the meaning of the file's text (dat_conf.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace datum::conf {

inline constexpr std::string_view kDefaultPaths[] = {"/etc/dat/dat.conf", "/etc/dat.conf"};
// The only path that registries of other makers read.
inline constexpr std::string_view kForeignPath = kDefaultPaths[1];

struct Location {
  std::string path;
  bool overridden = false; // True: DAT_OVERRIDE names the file, and no other file is tried
};

// `override_path`: the value of DAT_OVERRIDE; null or empty: not set. If it is not set, the result
// is the first candidate that exists or, if none exists, the first candidate.
Location locate(const char* override_path, std::span<const std::string_view> candidates);

// A longer file is not read. Any real file is far smaller. The limit keeps a device or a pipe that
// was named by mistake from filling the memory.
inline constexpr std::size_t kMostOctets = std::size_t{16} << 20;

struct ReadError {
  int code = 0; // errno
  std::string text;
};
// The text of the file, without a byte order mark at its start.
tl::expected<std::string, ReadError> read_file(const std::string& path);

} // namespace datum::conf
