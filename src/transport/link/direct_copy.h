// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/direct_copy.h: touching the peer's memory ourselves, under a mark.
// Lives here: which requests suit it, whose turn it is, the check of the peer's region, the copy.
// Not here:   what is copied in turns, and what follows (direct_request.h, message_fetch.h); how the
//             kernel lets us (DirectAccess in fabric.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "core/port/types.h"
#include "transport/link/channel_frame.h"

namespace datum {

// One turn of a copy: other endpoints wait for it (decision 312: less than a millisecond), and
// so does the consumer, since the post takes the first turn itself. No other thread could do it
// meanwhile: the copying one holds the adapter's lock, and to wake another takes as long as half a
// turn. Shorter turns cost where the kernel copies: each is a system call with the pages to look up
// anew.
inline constexpr std::uint64_t kDirectTurn = 1024 * 1024;

// Copied freely: it is nothing but its way to the frame.
class DirectCopy {
 public:
  explicit DirectCopy(ChannelFrame& frame) : frame_(frame) {}

  // There is a way for such a Write or Read, and the ring is not a faster one.
  bool suits(const WorkRequest& request) const;
  // A call of the consumer's takes its own time. It overtakes no copy that waits for its turn.
  bool has_turn(std::uint64_t octets) const;
  // `remote.length` is what is checked, `length` what is copied, from `offset` of `local` on.
  DtoStatus copy(const RemoteTriplet& remote, Access right, std::span<const LocalTriplet> local,
                 std::uint64_t offset, std::uint64_t length) {
    return length < kTakesAWhile ? copy_marked(remote, right, local, offset, length)
                                 : copy_for_a_while(remote, right, local, offset, length);
  }

 private:
  // Copying so much takes as long as many polls do.
  static constexpr std::uint64_t kTakesAWhile = 16 * 1024;

  DtoStatus copy_marked(const RemoteTriplet& remote, Access right,
                        std::span<const LocalTriplet> local, std::uint64_t offset,
                        std::uint64_t length);
  DtoStatus copy_for_a_while(const RemoteTriplet& remote, Access right,
                             std::span<const LocalTriplet> local, std::uint64_t offset,
                             std::uint64_t length);

  ChannelFrame& frame_;
};

} // namespace datum
