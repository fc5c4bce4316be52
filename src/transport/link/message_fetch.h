// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/message_fetch.h: the message that is fetched from the sender's memory, in turns.
// Lives here: the sender's segments, how far it is.
// Not here:   the Recv that it gets, and what follows its end (link_receiver.h); the copy
//             (direct_copy.h).
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

  // The content of such a record is possible.
  static bool is_sound(const RecordHeader& header) {
    return header.fetch.segments <= kMaxFetchSegments &&
           header.length == header.fetch.segments * sizeof(FetchSegment);
  }
  // True from begin() until all has been copied, a turn has failed, or it was dropped.
  bool under_way() const { return under_way_; }
  std::uint64_t left() const { return under_way_ ? length_ - done_ : 0; }
  // A sound record, and its payload.
  void begin(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  // Copies into the Recv, which has room for all of it. The sender is told of a failure.
  DtoStatus take_turn(std::span<const LocalTriplet> into);
  void drop() { under_way_ = false; }

  // Of the last message that began.
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
