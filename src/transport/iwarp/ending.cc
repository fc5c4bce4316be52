// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/ending.h"

#include <cassert>

namespace datum::iwarp {

bool Ending::on_peer_end() {
  return !std::exchange(peer_ended_, true);
}

void Ending::wait_for_arrival(Instant now) {
  assert(end_by_ != kNever);
  const bool long_enough = now >= end_by_ - timeout_ / 2;
  next_look_ = long_enough ? kNever : looks_.after(now);
}

void Ending::on_shut_down() {
  shut_down_ = true;
  wait_no_longer();
}

void Ending::on_own_error(const ErrorCode& error) {
  last_error_ = error;
  last_error_is_ours_ = true;
}

void Ending::on_peer_error(const ErrorCode& error, const UntaggedHeader& header) {
  last_error_ = error;
  if (!may_carry_terminate(header)) odd_terminate_ = header;
}

} // namespace datum::iwarp
