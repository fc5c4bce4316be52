// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/virtual_time.h: drives a world and all its adapters in one thread, so that the same
// seed gives the same run.
#pragma once

#include <vector>

#include "transport/sim/sim_participant.h"
#include "transport/sim/sim_world.h"

namespace datum {

class VirtualTime {
 public:
  explicit VirtualTime(SimWorld& world) : world_(world) {}

  void add(SimParticipant& participant) { participants_.push_back(&participant); }
  void remove(SimParticipant& participant) { std::erase(participants_, &participant); }

  // Runs the events that are due, and lets some of the adapters work. True: something happened.
  bool step();
  // Repeats step(), but with all adapters, until nothing more happens at the current time.
  void exhaust();
  // Sets the clock to the next time at which something happens. False: nothing happens up to
  // `until`, and the clock stays.
  bool advance(Instant until);
  // Runs until no event and no record is to come. Does not wait for timers.
  void settle();
  void run_for(Duration time);

 private:
  SimWorld& world_;
  std::vector<SimParticipant*> participants_;
};

} // namespace datum
