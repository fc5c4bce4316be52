// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/virtual_time.h: drives a world and all its adapters in one thread; the same seed
// gives the same run.
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
  // Does as step(), with all adapters, until nothing more happens now.
  void exhaust();
  // Goes to the next time at which something happens, `until` at the latest. False: nothing happens
  // until then.
  bool advance(Instant until);
  // Runs until no event or record is on its way. It does not wait for timers.
  void settle();
  void run_for(Duration time);

 private:
  SimWorld& world_;
  std::vector<SimParticipant*> participants_;
};

} // namespace datum
