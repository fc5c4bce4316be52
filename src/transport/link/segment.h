// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/segment.h: the memory that two adapters share for their link: two rings and a few
// words each. It is a wire format: two builds may map it, so it is versioned and its layout
// asserted.
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
  // Even: it polls its incoming ring. Odd: it wants to be rung, once for each odd value, after
  // something was published. It starts at 0 and counts up.
  alignas(kLineSize) SharedAtomic<std::uint32_t> sleep_epoch;
  // 1: it found its outgoing ring full and sleeps: tell it when there is room again.
  SharedAtomic<std::uint32_t> wants_room;
  // 1: whenever this side relies on having written a word before it reads the other side's, it
  // fences on every processor, so that the other side need not. Not between one odd sleep_epoch and
  // the next: a side that believes it has rung for the epoch that it sees fences, and looks again.
  SharedAtomic<std::uint32_t> fences;
  // 1: this side gives the link up, since it has no connections. It read no record that came after
  // this word.
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
