// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "line.h"

#include <utility>

namespace datum::net {
namespace {

// Longer than a burst takes to pass, shorter than TCP waits before it retransmits.
constexpr std::uint64_t kHeldBackMost = 4'000; // us

} // namespace

Line::Line(const Faults& faults, std::uint64_t direction) : direction_(direction) {
  set_faults(faults);
}

void Line::set_faults(const Faults& faults) {
  faults_ = faults;
  state_ = faults.seed * 2 + direction_;
}

// splitmix64
std::uint64_t Line::draw() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

bool Line::chance(std::uint32_t of_10000) {
  return draw() % 10'000 < of_10000;
}

void Line::offer(Frame frame, Time now) {
  ++counts_.offered;
  // Each frame takes the same number of draws. So a fault does not change at which frames other
  // faults happen.
  const bool lost = chance(faults_.loss);
  const bool held_back = chance(faults_.reorder);
  const bool duplicated = chance(faults_.duplicate);
  const bool corrupted = chance(faults_.corrupt);
  const std::uint64_t choice = draw();
  if (cut_) {
    ++counts_.cut;
    return;
  }
  if (lost) {
    ++counts_.lost;
    return;
  }
  Time due = now + faults_.delay;
  if (held_back) {
    ++counts_.held_back;
    due += std::chrono::microseconds(1 + choice % kHeldBackMost);
  }
  if (duplicated) {
    ++counts_.duplicated;
    enter(frame, due);
  }
  if (corrupted && spoil(frame, choice)) ++counts_.corrupted;
  enter(std::move(frame), due);
}

void Line::enter(Frame frame, Time due) {
  under_way_.push({due, ++entered_, std::move(frame)});
}

std::optional<Time> Line::next_due() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.top().due;
}

std::optional<Frame> Line::take(Time now) {
  if (under_way_.empty() || under_way_.top().due > now) return std::nullopt;
  // top() is const, but the frame may be moved out: pop() follows.
  Frame frame = std::move(const_cast<UnderWay&>(under_way_.top()).frame);
  under_way_.pop();
  return frame;
}

} // namespace datum::net
