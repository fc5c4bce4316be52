// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/ending.h: how a connection ends, and why.
// Lives here: both ends of the stream, and when ours is said; whether the socket is reset; what was
//             said or heard of the cause.
// Not here:   what leaves before that (outbound.h, output_queue.h); what the consumer is told
//             (session.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/arrival_looks.h"
#include "transport/iwarp/terminate.h"

namespace datum::iwarp {

class Ending {
 public:
  // For our last octets, and the peer's end of the stream.
  explicit Ending(Duration timeout) : timeout_(timeout) {}

  // --- the peer's end of the stream --------------------------------------------------------------
  // False: it had come.
  bool on_peer_end();
  bool peer_has_ended() const { return peer_ended_; }

  // --- ours --------------------------------------------------------------------------------------
  // From here on last octets leave. Returns when they have had time enough.
  Instant begin(Instant now) {
    end_by_ = now + timeout_;
    return end_by_;
  }
  // It waits until the peer's TCP has all that is before it, or half the time is over; again at
  // next_look().
  void wait_for_arrival(Instant now);
  Instant next_look() const { return next_look_; }
  void wait_no_longer() { next_look_ = kNever; }
  bool must_wait() const { return next_look_ != kNever && !peer_ended_; }
  // It was said.
  void on_shut_down();
  bool has_shut_down() const { return shut_down_; }

  // --- the socket --------------------------------------------------------------------------------
  // `reset`: it is not to be closed in an orderly way.
  void abort(bool reset) { must_reset_ = reset; }
  bool must_reset() const { return must_reset_; }

  // --- the cause ---------------------------------------------------------------------------------
  void on_own_error(const ErrorCode& error);
  // The header of the segment that brought the peer's.
  void on_peer_error(const ErrorCode& error, const UntaggedHeader& header);
  const std::optional<ErrorCode>& last_error() const { return last_error_; }
  bool last_error_is_ours() const { return last_error_is_ours_; }
  // The header, if no Terminate may have that; it counted all the same (decision 411).
  const std::optional<UntaggedHeader>& odd_terminate() const { return odd_terminate_; }

 private:
  const Duration timeout_;
  bool peer_ended_ = false;
  bool shut_down_ = false;
  bool must_reset_ = false;
  bool last_error_is_ours_ = false;
  Instant end_by_ = kNever;
  Instant next_look_ = kNever;
  ArrivalLooks looks_;
  std::optional<ErrorCode> last_error_;
  std::optional<UntaggedHeader> odd_terminate_;
};

} // namespace datum::iwarp
