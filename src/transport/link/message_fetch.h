// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/message_fetch.h: fetches a message from the sender's memory, in turns.
// Lives here: the sender's segments, how many octets have been copied.
// Not here:   the Recv that the message gets, and what follows the end of the fetch
//             (link_receiver.h); the copy (direct_copy.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/port/channel.h"
#include "transport/link/direct_copy.h"
#include "transport/link/record.h"

namespace datum {

class MessageFetch {
 public:
  explicit MessageFetch(DirectCopy copy) : copy_(copy) {}

  // True: the fields of a SendFetch record fit together.
  static bool is_sound(const RecordHeader& header) {
    return header.fetch.segments <= kMaxFetchSegments &&
           header.length == header.fetch.segments * sizeof(FetchSegment);
  }
  // True from begin() until all octets have been copied, a turn has failed, or drop() was called.
  bool under_way() const { return under_way_; }
  std::uint64_t left() const { return under_way_ ? length_ - done_ : 0; }
  // `header` must be sound. `payload` is the payload of the record.
  void begin(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  // `into`: the segments of the Recv, which has room for the whole message. Returns the status for
  // the sender.
  DtoStatus take_turn(std::span<const LocalTriplet> into);
  void drop() { under_way_ = false; }

  // The next three describe the last message that began.
  std::uint64_t length() const { return length_; }
  bool solicited() const { return solicited_; }
  const MessageNote& note() const { return note_; }

 private:
  DtoStatus copy_turn(std::span<const LocalTriplet> into);

  DirectCopy copy_;
  std::vector<FetchSegment> segments_;
  std::uint64_t length_ = 0;
  std::uint64_t done_ = 0;
  bool under_way_ = false;
  bool solicited_ = false;
  MessageNote note_;
};

} // namespace datum
