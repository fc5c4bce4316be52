// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/habits.h"

#include <array>
#include <sched.h>

#include "waiting/clock.h"

namespace waiting {
namespace {

constexpr std::int64_t kTurn = 100 * kMicrosecond;
// How often a spinning target reads its word between two readings of `stop`.
constexpr int kLooks = 64;

void between_polls(Initiator habit) {
  switch (habit) {
  case Initiator::Nothing: break;
  case Initiator::Work1: work(kMicrosecond); break;
  case Initiator::Work10: work(10 * kMicrosecond); break;
  case Initiator::Work50: work(50 * kMicrosecond); break;
  case Initiator::Yield: sched_yield(); break;
  }
}

class Habit {
 public:
  Habit(TargetEnd& end, const Control& control, Operation operation)
      : end_(end), control_(control), operation_(operation) {}

  void poll() {
    while (!stopped()) end_.poll();
  }
  void poll_elsewhere() {
    while (!stopped()) end_.poll_elsewhere();
  }
  void spin() {
    while (!stopped())
      for (int i = 0; i < kLooks; ++i) end_.word();
  }
  void spin_and_yield() {
    while (!stopped()) {
      end_.word();
      sched_yield();
    }
  }
  void sleep() {
    while (!stopped()) end_.sleep();
  }
  void sleep_by_cno() {
    while (!stopped()) end_.sleep_by_cno();
  }
  void compute() {
    while (!stopped()) work(kTurn);
  }
  void take_turns() {
    while (!stopped()) {
      const std::int64_t over = now() + kTurn;
      end_.polls_again();
      while (now() < over) end_.poll();
      end_.stops_polling();
      work(kTurn);
    }
  }
  void alternate() {
    for (std::uint64_t number = 1; !stopped(); number += 2) {
      end_.polls_again();
      while (!has_come(number, end_.polled()) && !stopped()) end_.poll();
      end_.stops_polling();
      while (!has_come(number + 1, end_.word()) && !stopped()) {
      }
    }
  }

 private:
  bool stopped() const { return control_.stop.load(std::memory_order_relaxed); }
  // A Read leaves no trace at its target, so the initiator reports it.
  bool has_come(std::uint64_t number, std::uint64_t brought) const {
    if (operation_ == Operation::Read)
      return control_.completed.load(std::memory_order_acquire) >= number;
    return brought >= number;
  }

  TargetEnd& end_;
  const Control& control_;
  Operation operation_;
};

} // namespace

Figures post_again_and_again(InitiatorEnd& end, Place& place, const Cell& cell,
                             const Bounds& bounds) {
  Control& control = place.control;
  Recorder recorder(bounds, std::array{place.own().pid, place.peer().pid});
  for (std::uint64_t number = 1; recorder.wants_more(); ++number) {
    const std::int64_t began = now();
    end.post(number);
    do between_polls(cell.initiator);
    while (!end.completed());
    const std::int64_t ended = now();
    control.completed.store(number, std::memory_order_release);
    recorder.add(began, ended);
  }
  control.stop.store(true);
  end.wake_target();
  return recorder.figures();
}

void keep_to_habit(TargetEnd& end, Place& place, const Cell& cell) {
  Habit habit(end, place.control, cell.operation);
  switch (cell.target) {
  case Target::SameEvd: return habit.poll();
  case Target::OtherEvd: return habit.poll_elsewhere();
  case Target::Spin: return habit.spin();
  case Target::SpinYield: return habit.spin_and_yield();
  case Target::Block: return habit.sleep();
  case Target::Cno: return habit.sleep_by_cno();
  case Target::Compute: return habit.compute();
  case Target::Turns: return habit.take_turns();
  case Target::Alternate: return habit.alternate();
  }
}

} // namespace waiting
