// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_link.h"

#include <algorithm>
#include <atomic>

#include "transport/sim/sim_world.h"

namespace datum {
namespace {

std::unique_ptr<LinkSegment> make_segment() {
  auto segment = std::make_unique<LinkSegment>();
  segment->magic = kSegmentMagic;
  segment->version = kSegmentVersion;
  segment->ring_slots = kRingSlots;
  segment->room_lines = kRoomLines;
  return segment;
}

} // namespace

LinkSegment& SimPort::segment() {
  return link_.segment(side_);
}

void SimPort::ring_doorbell() {
  link_.world().ring(link_, 1 - side_);
}

Address SimPort::peer_address() const {
  return link_.world().address();
}

void SimPort::condemn(const char*) {
  link_.world().cut(link_);
}

SimLink::SimLink(SimWorld& world, std::uint32_t dialler, std::uint32_t dialled,
                 const std::array<SimRegions, 2>& regions)
    : world_(world), members_{dialler, dialled},
      wired_(world.options().wire), segments_{make_segment(), wired_ ? make_segment() : nullptr},
      ports_{SimPort(*this, 0), SimPort(*this, 1)}, wires_{SimWire(segment(0), segment(1), 0),
                                                           SimWire(segment(1), segment(0), 1)} {
  if (!world.options().direct) return;
  for (int side = 0; side < 2; ++side) {
    const int peer = 1 - side;
    port(side).give_direct(
        std::make_unique<SimDirect>(*this, side, regions[static_cast<std::size_t>(peer)]));
  }
}

SimLink::~SimLink() = default;

// Copies the words that `side` writes in its own memory into the memory of the other side, which
// reads them there.
void SimLink::mirror_words(int side) {
  SegmentSide& own = segment(side).side[side];
  SegmentSide& seen = segment(1 - side).side[side];
  seen.tail.lines.store(own.tail.lines.load(std::memory_order_acquire), std::memory_order_release);
  seen.tail.records.store(own.tail.records.load(std::memory_order_acquire),
                          std::memory_order_release);
  seen.wants_room.store(own.wants_room.load(std::memory_order_relaxed), std::memory_order_relaxed);
  seen.mark.store(own.mark.load(std::memory_order_acquire), std::memory_order_release);
  if (!world_.doorbells()) {
    seen.sleep_epoch.store(own.sleep_epoch.load(std::memory_order_acquire),
                           std::memory_order_release);
    return;
  }
  // No thread polls here all the time, so the side that publishes has to ring. The next odd epoch
  // is stored before scan() reads the rings.
  const std::uint32_t epoch = seen.sleep_epoch.load(std::memory_order_relaxed);
  seen.sleep_epoch.store((epoch + 2) | 1U, std::memory_order_seq_cst);
}

void SimLink::scan() {
  if (!wired_ || !open) return;
  for (int side = 0; side < 2; ++side) mirror_words(side);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (SimWire& wire : wires_)
    while (wire.find()) wire.arrive(world_.now() + world_.random_delay());
}

std::uint32_t SimLink::carry(Instant now) {
  std::uint32_t look = 0;
  for (int side = 0; side < 2; ++side)
    if (carry_from(side, now)) look |= 1U << (1 - side);
  return look;
}

bool SimLink::carry_from(int side, Instant now) {
  if (!wires_[static_cast<std::size_t>(side)].carry(now)) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const SegmentSide& receiver = segment(1 - side).side[1 - side];
  return (receiver.sleep_epoch.load(std::memory_order_relaxed) & 1U) != 0;
}

// Carries only records, not words. Called in the middle of a copy, when the words contain a mark
// that the other side would keep seeing.
bool SimLink::bring(int side) {
  if (!wired_ || !open) return false;
  SimWire& wire = wires_[static_cast<std::size_t>(side)];
  while (wire.find()) wire.arrive(world_.now());
  return carry_from(side, kNever);
}

Instant SimLink::next() const {
  return std::min(wires_[0].next(), wires_[1].next());
}

Instant SimLink::last() const {
  return std::max(wires_[0].last(), wires_[1].last());
}

void SimLink::drop_records() {
  for (SimWire& wire : wires_) wire.drop();
}

} // namespace datum
