// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/ending.h: how a connection ends, and why.
// Lives here: whether each side has ended its stream, and when this side does; whether the socket
//             is reset; the error that this side or the peer has named.
// Not here:   the last messages (outbound.h, output_queue.h); what the consumer is told
//             (session.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/arrival_looks.h"
#include "transport/iwarp/terminate.h"

namespace datum::iwarp {

class Ending {
 public:
  // `timeout`: how long our last octets and the peer's end of the stream may take.
  explicit Ending(Duration timeout) : timeout_(timeout) {}

  // --- the peer's end of the stream --------------------------------------------------------------
  // False: the peer had ended its stream before.
  bool on_peer_end();
  bool peer_has_ended() const { return peer_ended_; }

  // --- our end of the stream ---------------------------------------------------------------------
  // From here on our last octets leave. Returns when their time is over.
  Instant begin(Instant now) {
    end_by_ = now + timeout_;
    return end_by_;
  }
  // Our end of the stream waits until the peer's TCP has acknowledged everything before it, or
  // until half of the timeout is over. Call this again at next_look().
  void wait_for_arrival(Instant now);
  Instant next_look() const { return next_look_; }
  void wait_no_longer() { next_look_ = kNever; }
  bool must_wait() const { return next_look_ != kNever && !peer_ended_; }
  // This side has ended its stream.
  void on_shut_down();
  bool has_shut_down() const { return shut_down_; }

  // --- the socket --------------------------------------------------------------------------------
  // `reset`: the socket has to be reset, not closed in an orderly way.
  void abort(bool reset) { must_reset_ = reset; }
  bool must_reset() const { return must_reset_; }

  // --- the cause ---------------------------------------------------------------------------------
  void on_own_error(const ErrorCode& error);
  // `header`: of the segment that brought the peer's Terminate.
  void on_peer_error(const ErrorCode& error, const UntaggedHeader& header);
  const std::optional<ErrorCode>& last_error() const { return last_error_; }
  bool last_error_is_ours() const { return last_error_is_ours_; }
  // The header of the peer's Terminate, if no Terminate may have such a header. The Terminate
  // counted all the same (decision 411).
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
