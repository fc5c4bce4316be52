// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_driver.h: drives a world among real threads, in place of the background threads
// of its adapters. It sleeps until wake() is called or a timer is due.
// Threads: any. The driver holds one adapter's lock at a time, and no other lock meanwhile.
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
  // Returns once the driver is not running the participant and will not run it again. The caller
  // must not hold the participant's lock.
  void remove(SimParticipant& participant);
  void wake();
  // The clock of timers and deadlines. Events of the network happen in virtual time, without
  // waiting for this clock.
  static Instant real_now();

 private:
  void run();
  // True: work was done, or an event is due later.
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
