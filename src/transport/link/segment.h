// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/segment.h: the memory that two adapters share for their link: a ring and a few
// words for each side. Different builds may map the same segment, so its layout is a wire format
// with a version and static assertions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/shared_atomic.h"
#include "transport/link/ring.h"

namespace datum {

inline constexpr std::uint32_t kSegmentMagic = 0x44544c4b; // "DTLK"
inline constexpr std::uint32_t kSegmentVersion = 4;

// Words of one side, which only that side writes.
struct SegmentSide {
  // Even: this side polls its incoming ring. Odd: this side wants to be rung after something was
  // published, once for each odd value. The epoch starts at 0 and counts up.
  alignas(kLineSize) SharedAtomic<std::uint32_t> sleep_epoch;
  // 1: this side found its outgoing ring full, and wants to be told once there is room.
  SharedAtomic<std::uint32_t> wants_room;
  // 1: wherever this side writes a word of its own and then reads a word of the other side, it
  // fences on every processor in between. So the other side needs only a light fence. The exception
  // is the step from one odd sleep_epoch to the next: a side that has already rung for the epoch
  // that it sees makes a full fence and reads the epoch again.
  SharedAtomic<std::uint32_t> fences;
  // 1: this side gives the link up, since it has no connections. It reads no record that is
  // published after this word was set.
  SharedAtomic<std::uint32_t> retired;
  // The STag of the peer's memory through which this side is copying right now; 0: none.
  alignas(kLineSize) SharedAtomic<std::uint32_t> mark;
  // How far this side has consumed its incoming ring.
  RingTail tail;
};
static_assert(sizeof(SegmentSide) == 3 * kLineSize);

struct LinkSegment {
  alignas(kLineSize) std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t ring_slots;
  std::uint32_t room_lines;
  SegmentSide side[2]; // 0: the side that dialled, 1: the side that was dialled
  Ring ring[2];        // ring[s] is written by side s
};
static_assert(sizeof(LinkSegment) == 7 * kLineSize + 2 * sizeof(Ring));
static_assert(std::is_standard_layout_v<LinkSegment>);

} // namespace datum
