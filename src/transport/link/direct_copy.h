// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/direct_copy.h: copying to and from the peer's memory, under a mark.
// Lives here: which requests suit it, whose turn it is, the check of the peer's region, the copy.
// Not here:   what is copied in turns, and what follows (direct_request.h, message_fetch.h); how
//             the kernel permits it (DirectAccess in fabric.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "base/assertion.h"
#include "core/port/types.h"
#include "transport/link/channel_frame.h"

namespace datum {

// One turn of a copy. Other endpoints wait for it (decision 312: less than a millisecond). So does
// the consumer, since the post makes the first turn itself. No other thread could do it meanwhile:
// the copying thread holds the adapter's lock, and to wake another thread takes half as long as a
// turn. Shorter turns cost more where the kernel copies: each is a system call that looks the pages
// up again.
inline constexpr std::uint64_t kDirectQuantum = 1024 * 1024;

// Copied freely: it only holds a reference to the frame.
class DirectCopy {
 public:
  explicit DirectCopy(ChannelFrame& frame) : frame_(frame) {}

  // Such a Write or Read can be copied directly, and the ring is not faster.
  bool suits(const WorkRequest& request) const;
  // A call of the consumer takes its own time. It overtakes no copy that waits for its turn.
  bool has_turn(std::uint64_t octets) const;
  // `remote.length` is checked. `length` is copied, from `offset` of `local` on.
  DtoStatus copy(const RemoteTriplet& remote, Access right, std::span<const LocalTriplet> local,
                 std::uint64_t offset, std::uint64_t length) {
    DATUM_ASSERT(length <= remote.length && length <= kDirectQuantum);
    return length < kTakesAWhile ? copy_marked(remote, right, local, offset, length)
                                 : copy_for_a_while(remote, right, local, offset, length);
  }

 private:
  // Copying this much takes as long as many polls.
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
