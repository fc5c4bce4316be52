// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lives here: dat-info as a program, and what several of its tests look for in what it prints.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>

#include "command.h"

namespace datum::info {

inline const std::string kInfo = DAT_INFO_PROGRAM;
inline const std::string kPing = DAT_PING_PROGRAM;
inline const std::string kLibraries =
    std::filesystem::path(kInfo).parent_path().parent_path() / "lib";

// A dat.conf of the test's own.
class DatConf {
 public:
  explicit DatConf(const std::string& text) {
    char name[] = "/tmp/dat-info-test-XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0) throw std::runtime_error("mkstemp");
    close(fd);
    path = name;
    std::ofstream(path) << text;
  }
  DatConf(const DatConf&) = delete;
  DatConf& operator=(const DatConf&) = delete;
  ~DatConf() { unlink(path.c_str()); }
  [[nodiscard]] std::string with(const std::string& command) const {
    return "env DAT_OVERRIDE=" + path + " " + command;
  }
  std::string path;
};

inline std::string foreign_lines() {
  std::string text;
  for (int i = 0; i != 62; ++i)
    text += "ofa-v2-" + std::to_string(i) +
            " u2.0 nonthreadsafe default libnowhere.so.9 dapl.2.0 \"ib0 0\" \"\"\n";
  return text;
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// With one space for several, because columns are as wide as the names of this machine.
inline std::string squeezed(const std::string& text) {
  return std::regex_replace(text, std::regex(" +"), " ");
}

// A sequence that begins with ESC can clear the screen. On some terminals U+009B begins one, too.
inline bool disturbs(const std::string& output) {
  return output.find_first_of("\033\r\a") != std::string::npos ||
         output.find("\xc2\x9b") != std::string::npos;
}

} // namespace datum::info
