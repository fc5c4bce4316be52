// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/plot_file.h: the file of --plot. It is opened before the measurement, so that an error is
// reported at once if the file cannot be written.
// Not here: what is drawn (plot.h).
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace datum::perf {

class PlotFile {
 public:
  // The contents of the file stay until write(). Throws ToolError(Usage) if the file cannot be
  // written.
  explicit PlotFile(std::string path);
  ~PlotFile(); // removes a file that the constructor made, unless write() was called
  PlotFile(const PlotFile&) = delete;
  PlotFile& operator=(const PlotFile&) = delete;

  void write(const std::string& text); // throws ToolError(Failed)

 private:
  std::string path_;
  bool is_new_ = false;
  UniqueFd file_;
};

} // namespace datum::perf
