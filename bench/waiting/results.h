// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/results.h: a file with a line for each run. If the program is called again, it goes
// on where the file ends.
#pragma once

#include <cstdio>
#include <set>
#include <string>

#include "waiting/pair.h"

namespace waiting {

// The columns of a run besides its outcome.
struct Run {
  std::string cell;
  unsigned repeat = 0;
  std::string contest; // "dat", or the name of the limit
};

class Results {
 public:
  // An empty name means the standard output.
  explicit Results(const std::string& file);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  // True: the file has a run of this cell with this number, both by DAT and by the limit.
  bool has(const std::string& cell, unsigned repeat) const;
  void write(const Run& run, const Outcome& outcome);

 private:
  void read(const std::string& file);
  void line(const char* text);

  std::FILE* out_;
  std::set<std::string> begun_; // runs that one of the two contests has made
  std::set<std::string> done_;
  bool empty_ = true;
};

} // namespace waiting
