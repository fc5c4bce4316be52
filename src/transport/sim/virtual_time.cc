// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/virtual_time.h"

#include <algorithm>

namespace datum {

bool VirtualTime::step() {
  bool any = world_.run_due();
  const std::uint64_t choice = world_.random();
  // The loop goes by index, since an event may add or remove adapters.
  for (std::size_t i = 0; i < participants_.size(); ++i)
    if ((choice >> (i % 64) & 1U) != 0) any = participants_[i]->run(world_.now()) || any;
  return any;
}

void VirtualTime::exhaust() {
  for (bool any = true; any;) {
    any = world_.run_due();
    for (std::size_t i = 0; i < participants_.size(); ++i)
      any = participants_[i]->run(world_.now()) || any;
  }
}

bool VirtualTime::advance(Instant until) {
  Instant next = world_.next();
  for (const SimParticipant* each : participants_) next = std::min(next, each->next_timer());
  if (next > until || next == kNever) return false;
  world_.advance_to(next);
  return true;
}

void VirtualTime::settle() {
  for (;;) {
    exhaust();
    const Instant next = world_.next();
    if (next == kNever) return;
    world_.advance_to(next);
  }
}

void VirtualTime::run_for(Duration time) {
  const Instant end = world_.now() + time;
  do exhaust();
  while (advance(end));
  world_.advance_to(end);
  exhaust();
}

} // namespace datum
