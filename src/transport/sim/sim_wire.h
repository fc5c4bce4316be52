// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_wire.h: one direction of a link whose two ends have memory of their own.
// Lives here: finding records that the sender has published, and carrying each one over when it is
//             due.
// Not here:   the time when they are due (sim_link.h), the meaning of records (transport/link).
// Threads:    the world's lock. The wire behaves as each end's peer would: it is the consumer of
//             the sender's ring, and the producer of the receiver's ring.
#pragma once

#include <cstdint>
#include <deque>

#include "base/time.h"
#include "transport/link/ring.h"
#include "transport/link/segment.h"

namespace datum {

class SimWire {
 public:
  SimWire(LinkSegment& from, LinkSegment& to, int side)
      : published_(from.ring[side], own_tail_[0]), leaving_(from.ring[side], own_tail_[1]),
        arriving_(to.ring[side], to.side[1 - side].tail) {}

  // Finds the next published record. False: there is none. arrive() then sets when the record is
  // carried over.
  bool find();
  void arrive(Instant when);
  // Carries over the records that are due. True: at least one was due.
  bool carry(Instant now);
  Instant next() const { return under_way_.empty() ? kNever : under_way_.front(); }
  Instant last() const { return under_way_.empty() ? 0 : under_way_.back(); }
  void drop() { under_way_.clear(); }

 private:
  void copy_next();

  // Neither end reads these tails. Each end has its own tail in the segment.
  RingTail own_tail_[2] = {};
  RingConsumer published_; // read by find()
  RingConsumer leaving_;   // read by carry()
  RingProducer arriving_;
  std::deque<Instant> under_way_; // for each record that was found, when it is due
};

} // namespace datum
