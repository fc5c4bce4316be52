// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_participant.h: an adapter as the driver of a world sees it.
#pragma once

#include "base/time.h"

namespace datum {

class SimParticipant {
 public:
  // Takes the adapter's lock and does the work that the adapter has. True: there was some work.
  virtual bool run(Instant now) = 0;
  // When the adapter's next timer expires, as of the last run().
  virtual Instant next_timer() const = 0;

 protected:
  ~SimParticipant() = default;
};

} // namespace datum
