// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/results.h: a file with a line for each run, which a later call goes on with.
#pragma once

#include <cstdio>
#include <set>
#include <string>

#include "waiting/pair.h"

namespace waiting {

// What is told of a run besides its outcome.
struct Run {
  std::string cell;
  unsigned repeat = 0;
  std::string contest; // "dat", or how the limit goes
};

class Results {
 public:
  // Of an empty name: the standard output.
  explicit Results(const std::string& file);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  // A run of this cell, with this number, by DAT and by the limit stands there already.
  bool has(const std::string& cell, unsigned repeat) const;
  void write(const Run& run, const Outcome& outcome);

 private:
  void read(const std::string& file);
  void line(const char* text);

  std::FILE* out_;
  std::set<std::string> begun_; // by one of the two
  std::set<std::string> done_;
  bool empty_ = true;
};

} // namespace waiting
