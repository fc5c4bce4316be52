// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_wire.h: one direction of a link whose two ends have memory of their own.
// Lives here: finding records that the sender has published, carrying them over when they are due.
// Not here:   when that is (sim_world.h), what records mean (transport/link).
// Threads:    the world's lock. Towards the two ends it behaves as their peer would: it reads the
//             sender's ring as a consumer and writes the receiver's as a producer.
#pragma once

#include <cstdint>
#include <deque>

#include "base/time.h"
#include "transport/link/segment.h"

namespace datum {

class SimWire {
 public:
  SimWire(LinkSegment& from, LinkSegment& to, int side) : from_(from), to_(to), side_(side) {}

  // Finds the next record that was published; false: none. arrive() decides when it is carried
  // over.
  bool find();
  void arrive(Instant when);
  // Carries over what is due. True: something was.
  bool carry(Instant now);
  Instant next() const { return under_way_.empty() ? kNever : under_way_.front().due; }
  Instant last() const { return under_way_.empty() ? 0 : under_way_.back().due; }
  void drop() { under_way_.clear(); }

 private:
  struct Record {
    std::uint64_t end = 0;
    Instant due = 0;
  };
  void copy_next();
  RingLine* source() { return from_.ring[side_]; }
  RingLine* target() { return to_.ring[side_]; }

  LinkSegment& from_;
  LinkSegment& to_;
  int side_;
  std::uint64_t found_ = 0;
  std::uint64_t carried_ = 0;
  std::deque<Record> under_way_;
};

} // namespace datum
