// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/progress.h: one line on stderr that shows the progress of the work.
// Progress draws only on a terminal. It shows bytes at most ten times a second, and its destructor
// wipes the line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace datum::tools {

struct Progressed {
  std::uint64_t done = 0, total = 0; // bytes; total 0: the end is not known
  std::chrono::nanoseconds elapsed{};
  std::string_view label;
};
// The line for a terminal that is `columns` wide. It has as many of its parts, from the left, as
// fit whole. The bar needs a wide terminal; the label may be cut.
std::string progress_text(const Progressed& at, std::size_t columns);

class Progress {
 public:
  // total 0: the end is not known. quiet: never draw.
  Progress(std::uint64_t total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // done: bytes; label: the file or step in work.
  void update(std::uint64_t done, std::string_view label);
  // For work that is not counted in bytes. Drawn at once: the next step may be long.
  void say(std::string_view step);
  void set_total(std::uint64_t total) { total_ = total; }
  void wipe(); // called before a line is printed

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::uint64_t done, std::string_view label, Clock::time_point now);
  void put(std::string line, Clock::time_point now);

  std::uint64_t total_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

} // namespace datum::tools
