// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_driver.h: drives a world among real threads, as the background threads of its
// adapters would: it sleeps until something is published, woken or due.
// Threads: any; it holds one adapter's lock at a time and nothing else.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/sim/sim_participant.h"
#include "transport/sim/sim_world.h"

namespace datum {

class SimDriver {
 public:
  explicit SimDriver(SimWorld& world);
  ~SimDriver();
  SimDriver(const SimDriver&) = delete;
  SimDriver& operator=(const SimDriver&) = delete;

  void add(SimParticipant& participant);
  // Returns when the driver is not inside it, and never will be. The caller does not hold its lock.
  void remove(SimParticipant& participant);
  void wake();
  // The clock of timers and deadlines. Events of the network do not wait for it.
  static Instant real_now();

 private:
  void run();
  // True: something happened somewhere.
  bool round();
  Instant next_timer();

  SimWorld& world_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SimParticipant*> participants_;
  SimParticipant* inside_ = nullptr;
  bool woken_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace datum
