// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/progress.h: one line on stderr that says how far the work is.
// It draws only on a terminal, bytes at most ten times a second, and wipes itself when it ends.
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
// What is drawn in so many columns: of the parts, from the left, those that fit whole. A bar needs
// a wide terminal; the label may be cut.
std::string progress_text(const Progressed& at, std::size_t columns);

class Progress {
 public:
  // total 0: the end is not known. quiet: never draw.
  Progress(std::uint64_t total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // done counts bytes; label is what is being worked on.
  void update(std::uint64_t done, std::string_view label);
  // For work that is not counted in bytes. Drawn at once: the next step may be long.
  void say(std::string_view step);
  void set_total(std::uint64_t total) { total_ = total; }
  void wipe(); // before printing a line of one's own

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
