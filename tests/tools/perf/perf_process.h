// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/perf/perf_process.h: dat-perf as a command of a shell, for the tests of the program.
#pragma once

#include <cstddef>
#include <string>

#include "command.h"

namespace datum::perf {

using test::Ended;
using test::run;
using test::run_until;
using test::Served;

inline const std::string kPerf = DAT_PERF_PROGRAM;
inline const std::string kShort = " --repeat 1 --time 1 --no-limits --json ";

inline std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

} // namespace datum::perf
