// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_refusal.cc: the last look before a post is refused for what may have ended
// already. A post that succeeds at once comes by none of this.
#include <new>

#include "core/endpoint/endpoint.h"

namespace datum {

// The channel may be retired meanwhile; the adapter destroys it when the call is over.
void Endpoint::catch_up() {
  if (!channel_) return;
  try {
    channel_->catch_up();
  } catch (const std::bad_alloc&) {
    // As for a poll: what lacks memory is there at the next look.
  }
}

// An accepter may see the peer's data in memory before anything of this process has run that would
// have told it of the connection.
Status Endpoint::check_state_again() {
  if (state_ == EpState::CompletionPending) catch_up();
  if (state_ == EpState::Connected || state_ == EpState::Disconnected) return kOk;
  return invalid_state(state_);
}

// Whoever suppresses completions, or looks at other EVDs only, learns of no end by itself.
bool Endpoint::has_room_again() {
  catch_up();
  return !requests_.full();
}

bool Endpoint::has_room_for_recv_again() {
  catch_up();
  return !recvs_.full();
}

} // namespace datum
