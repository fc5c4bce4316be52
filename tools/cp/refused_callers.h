// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/refused_callers.h: connections that were accepted only to say why there will be no copy.
// A caller reads that and hangs up. One that does not shall cost the server no time: calling takes
// no token.
#pragma once

#include <deque>
#include <memory>

#include "common/dat_events.h"
#include "cp/channel.h"

namespace datum::cp {

class RefusedCallers {
 public:
  // Keeps it for five seconds. Of more than kMost the oldest goes.
  void add(std::unique_ptr<Channel> channel);
  // When the oldest has had its time; kNever if there is none.
  [[nodiscard]] tools::Deadline next_farewell() const;
  // Drops those that hung up and those that have had their time.
  void let_go();

 private:
  static constexpr std::size_t kMost = 16;
  struct Caller {
    std::unique_ptr<Channel> channel;
    tools::Deadline until;
  };
  std::deque<Caller> callers_; // the oldest first
};

} // namespace datum::cp
