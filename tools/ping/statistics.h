// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/statistics.h: the numbers in the summary of dat-ping. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/json.h"

namespace datum::ping {

class Statistics {
 public:
  void sent() { ++sent_; }
  void received(double ns);
  void corrupt() { ++corrupt_; }       // an answer came with wrong bytes
  void interrupted() { awaited_ = 1; } // the answer to the last ping was outstanding

  [[nodiscard]] std::uint64_t count_sent() const { return sent_; }
  [[nodiscard]] std::uint64_t count_received() const { return received_; }
  [[nodiscard]] std::uint64_t count_corrupt() const { return corrupt_; }
  [[nodiscard]] std::uint64_t lost() const { return sent_ - received_ - corrupt_ - awaited_; }
  [[nodiscard]] std::uint64_t awaited() const { return awaited_; }
  [[nodiscard]] bool all_answered() const { return received_ > 0 && received_ + awaited_ == sent_; }
  [[nodiscard]] double min() const { return min_; }
  [[nodiscard]] double max() const { return max_; }
  [[nodiscard]] double average() const;
  [[nodiscard]] double deviation() const; // the standard deviation, which ping(8) calls "mdev"

 private:
  std::uint64_t sent_ = 0, received_ = 0, corrupt_ = 0, awaited_ = 0;
  double min_ = 0, max_ = 0, mean_ = 0, squares_ = 0; // squares_: the sum of the squared deviations
};

// "5 sent, 4 received, 1 lost (20 %)", and the times if any answer came.
std::string text_of(const Statistics& statistics);
// Adds the same numbers as members of the object. Times are whole nanoseconds.
void add_to(tools::JsonObject& object, const Statistics& statistics);

} // namespace datum::ping
