// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/statistics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace datum::ping {

// Welford's algorithm avoids the difference of large sums.
void Statistics::received(double ns) {
  min_ = received_ == 0 ? ns : std::min(min_, ns);
  max_ = received_ == 0 ? ns : std::max(max_, ns);
  ++received_;
  const double before = ns - mean_;
  mean_ += before / static_cast<double>(received_);
  squares_ += before * (ns - mean_);
}

double Statistics::average() const {
  return mean_;
}

double Statistics::deviation() const {
  return received_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(received_));
}

std::string text_of(const Statistics& s) {
  const double sent = static_cast<double>(s.count_sent());
  const double part = s.count_sent() == 0 ? 0 : 100.0 * static_cast<double>(s.lost()) / sent;
  std::string text = fmt::format("{} sent, {} received, {} lost ({:.3g} %)", s.count_sent(),
                                 s.count_received(), s.lost(), part);
  if (s.count_corrupt() > 0) text += fmt::format(", {} with wrong bytes", s.count_corrupt());
  if (s.awaited() > 0) text += fmt::format(", {} still awaited", s.awaited());
  text += '\n';
  if (s.count_received() > 0)
    text += fmt::format("rtt min/avg/max/mdev = {:.2f}/{:.2f}/{:.2f}/{:.2f} us\n", s.min() / 1e3,
                        s.average() / 1e3, s.max() / 1e3, s.deviation() / 1e3);
  return text;
}

void add_to(tools::JsonObject& object, const Statistics& s) {
  object.add("sent", s.count_sent())
      .add("received", s.count_received())
      .add("lost", s.lost())
      .add("awaited", s.awaited())
      .add("corrupt", s.count_corrupt())
      .add("min_ns", std::llround(s.min()))
      .add("avg_ns", std::llround(s.average()))
      .add("max_ns", std::llround(s.max()))
      .add("mdev_ns", std::llround(s.deviation()));
}

} // namespace datum::ping
