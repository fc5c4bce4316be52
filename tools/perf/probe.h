// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/probe.h: how far the two cores are from each other right now.
// Lives here: a ping-pong over one cache line of a page that both processes of --local share.
#pragma once

#include <cstdint>

namespace datum::perf {

class Probe {
 public:
  Probe(); // must be called before fork(2), so that both processes share the page
  // One process calls lead() while the other calls follow(). lead() returns the nanoseconds for one
  // direction, as the median of many short runs. 0: the other side did not answer.
  double lead();
  void follow();

 private:
  struct Page;
  Page* page_; // shared; lives as long as the process
  std::uint64_t at_ = 0;
};

// A cache line takes some 30 to 60 ns within a group of cores, and 100 ns or more between groups.
const char* distance_name(double ns);

} // namespace datum::perf
