// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/direct_copy.h: copying to and from the peer's memory, under a mark.
// Lives here: which requests suit a direct copy, whether a copy may begin now, the check of the
//             peer's region, the copy.
// Not here:   the progress of a copy in turns, and what follows its end (direct_request.h,
//             message_fetch.h); the permission of the kernel (DirectAccess in fabric.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "base/assertion.h"
#include "core/port/types.h"
#include "transport/link/channel_frame.h"

namespace datum {

// How much one turn of a copy moves. Other endpoints wait for the end of the turn (decision 312:
// less than a millisecond). The consumer waits, too, since the post makes the first turn itself. To
// leave that turn to another thread would not help: the copying thread holds the adapter's lock,
// and waking another thread takes half as long as a turn. Shorter turns cost more where the kernel
// copies, because each turn is a system call that looks the pages up again.
inline constexpr std::uint64_t kDirectQuantum = 1024 * 1024;

// May be copied: it holds nothing but a reference to the frame.
class DirectCopy {
 public:
  explicit DirectCopy(ChannelFrame& frame) : frame_(frame) {}

  // True: this Write or Read can be copied directly, and the ring is not faster.
  bool suits(const WorkRequest& request) const;
  // True: a copy of `octets` may begin now. In a call of the consumer it always may. In progress()
  // it may if no other channel is listed for work and enough of this turn's quantum is left.
  bool has_turn(std::uint64_t octets) const;
  // Checks access to all of `remote`, but copies only `length` octets. In `local` they begin at
  // `offset`.
  DtoStatus copy(const RemoteTriplet& remote, Access right, std::span<const LocalTriplet> local,
                 std::uint64_t offset, std::uint64_t length) {
    DATUM_ASSERT(length <= remote.length && length <= kDirectQuantum);
    return length < kTakesAWhile ? copy_marked(remote, right, local, offset, length)
                                 : copy_for_a_while(remote, right, local, offset, length);
  }

 private:
  // A copy of this size takes as long as many polls.
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
