// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/figures.h: the figures of a run, and collecting them.
//
// A sample above a millisecond may be the fault of the machine. In that case the kernel reports
// that threads of this run were ready and had no processor for all but a millisecond of the sample
// (/proc/PID/task/TID/schedstat). Such samples are excused: they are counted, but left out of
// `counted_p99`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace waiting {

// All times are nanoseconds.
struct Figures {
  std::uint64_t operations = 0;
  double seconds = 0;
  std::uint64_t p50 = 0;
  std::uint64_t p90 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;
  std::uint64_t counted_p99 = 0; // without the excused samples
  std::uint64_t long_ones = 0;   // above a millisecond
  std::uint64_t excused = 0;     // how many of the long ones are excused
};

// A run ends after this many operations, or after this many seconds.
struct Bounds {
  std::uint64_t operations = 10'000;
  double seconds = 2;
};

// How long the threads of some processes have waited for a processor in total. Counts the threads
// that exist when the object is made.
class RunDelay {
 public:
  explicit RunDelay(std::span<const int> pids);
  ~RunDelay();
  RunDelay(const RunDelay&) = delete;
  RunDelay& operator=(const RunDelay&) = delete;
  std::uint64_t total() const;

 private:
  std::vector<int> files_;
};

class Recorder {
 public:
  Recorder(const Bounds& bounds, std::span<const int> pids);
  // True: one more operation is wanted.
  bool wants_more() const { return count_ < samples_.size() && latest_ < end_; }
  void add(std::int64_t began, std::int64_t ended);
  Figures figures();

 private:
  struct Sample {
    std::uint64_t took = 0;
    bool excused = false;
  };
  bool is_warm(std::int64_t time);
  void look_at_delay();

  std::vector<Sample> samples_;
  std::size_t count_ = 0;
  RunDelay delay_;
  std::uint64_t delay_before_ = 0; // RunDelay::total() at the last reading
  std::int64_t looked_ = 0;        // the time of the last reading
  std::int64_t begun_;
  std::int64_t measured_from_ = 0; // 0: both sides have not settled into their habits yet
  std::int64_t latest_ = 0;
  std::int64_t end_;
  std::uint64_t warming_ = 0; // operations before the measured operations
};

} // namespace waiting
