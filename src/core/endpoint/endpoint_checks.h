// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_checks.h: what every post checks first.
// Inline: of a message of few octets the posts are half the work, and the arguments of
// check_local() do not even fit into registers. Hot path: no allocation, no logging; what is said
// of a post that fails is in causes.h.
#pragma once

#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"
#include "core/memory/local_memory.h"
#include "core/object/causes.h"

namespace datum {

// UNSIGNALLED is for EPs that were configured for it (dat_ep_post_send(3DAT), Description).
[[gnu::always_inline]] inline Status Endpoint::check_flags(CompletionFlags flags,
                                                           CompletionFlags allowed,
                                                           const CompletionFlags& configured) {
  if ((flags & ~(allowed & (configured | ~kUnsignalled))) == 0) [[likely]]
    return kOk;
  causes::note_flags(flags, allowed, configured);
  return {Type::InvalidParameter, Detail::Arg5};
}

[[gnu::always_inline]] inline Status Endpoint::check_local(std::span<const LocalTriplet> local,
                                                           std::int32_t max_iov, Access right,
                                                           std::uint64_t max_length,
                                                           std::uint64_t& length) const {
  if (local.size() > static_cast<std::size_t>(max_iov))
    return causes::too_many_segments(local.size(), max_iov);
  // It cannot have been connected yet: nothing but a Recv may be posted, and for that see there.
  if (!zone_) return invalid_state(state_);
  return check_local_memory(adapter().regions(), local, right, zone_->id(), max_length, length);
}

} // namespace datum
