// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/message_fetch.h"

#include <algorithm>
#include <cstring>

#include "base/assertion.h"

namespace datum {

void MessageFetch::begin(const RecordHeader& header, const std::byte* payload,
                         const MessageNote& note) {
  DATUM_ASSERT(!under_way_ && is_sound(header));
  segments_.resize(header.fetch.segments);
  std::memcpy(segments_.data(), payload, header.fetch.segments * sizeof(FetchSegment));
  length_ = header.fetch.length;
  done_ = 0;
  solicited_ = (header.flags & record_flag::kSolicited) != 0;
  note_ = note;
  under_way_ = true;
}

DtoStatus MessageFetch::take_turn(std::span<const LocalTriplet> into) {
  DATUM_ASSERT(under_way_);
  const DtoStatus status = copy_turn(into);
  if (status != DtoStatus::Success || done_ == length_) under_way_ = false;
  return status;
}

DtoStatus MessageFetch::copy_turn(std::span<const LocalTriplet> into) {
  std::uint64_t left = std::min(length_ - done_, kDirectQuantum);
  std::uint64_t skip = done_;
  for (const FetchSegment& segment : segments_) {
    if (left == 0) break;
    if (skip >= segment.length) {
      skip -= segment.length;
      continue;
    }
    const std::uint64_t size = std::min(segment.length - skip, left);
    const RemoteTriplet remote{segment.stag, segment.address + skip, size};
    if (copy_.copy(remote, kLocalRead, into, done_, size) != DtoStatus::Success)
      return DtoStatus::LocalProtection;
    done_ += size;
    left -= size;
    skip = 0;
  }
  // The segments that the peer listed may add up to less than the length that it stated.
  return left == 0 ? DtoStatus::Success : DtoStatus::RemoteResponder;
}

} // namespace datum
