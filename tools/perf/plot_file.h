// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/plot_file.h: the file of --plot: found out to be writable before minutes are spent on it.
// Not here: what is drawn (plot.h).
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace datum::perf {

class PlotFile {
 public:
  // What the file holds stays until write(). Throws ToolError(Usage): no such file for us.
  explicit PlotFile(std::string path);
  ~PlotFile(); // removes what it made if nothing was written
  PlotFile(const PlotFile&) = delete;
  PlotFile& operator=(const PlotFile&) = delete;

  void write(const std::string& text); // throws ToolError(Failed)

 private:
  std::string path_;
  bool is_new_ = false;
  UniqueFd file_;
};

} // namespace datum::perf
