// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/refused_callers.h: connections that were accepted only to tell the client why there will be no
// copy.
// A refused client reads the reason and disconnects. The server does not wait for a client that
// stays connected: a client needs no token (token.h) to get this far.
#pragma once

#include <deque>
#include <memory>

#include "common/dat_events.h"
#include "cp/channel.h"

namespace datum::cp {

class RefusedCallers {
 public:
  // Keeps the channel for five seconds. If kMost are kept already, drops the oldest one first.
  void add(std::unique_ptr<Channel> channel);
  // When the five seconds of the oldest channel end. kNever: no channel is kept.
  [[nodiscard]] tools::Deadline next_expiry() const;
  // Drops the channels that have ended and those whose five seconds are over.
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
