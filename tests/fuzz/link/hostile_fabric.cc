// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "hostile_fabric.h"

#include <cstring>

namespace datum::fuzz {
namespace {

class Name final : public PublishedName {
 public:
  explicit Name(ConnQual qualifier) : qualifier_(qualifier) {}
  ConnQual qualifier() const override { return qualifier_; }

 private:
  ConnQual qualifier_;
};

// Zeroes without a constructor, as in memory that the kernel maps.
template <class T>
T* zeroed(std::size_t count) {
  void* memory = std::aligned_alloc(kLineSize, sizeof(T) * count);
  std::memset(memory, 0, sizeof(T) * count);
  return static_cast<T*>(memory);
}

} // namespace

// As with real direct access, nothing outside the file can be mapped.
std::byte* HostileMemory::map(const RegionEntry& entry, Stag, bool) {
  if (entry.backing_fd < 0 || entry.backing_offset > kSize ||
      entry.length > kSize - entry.backing_offset)
    return nullptr;
  return bytes_.get() + entry.backing_offset;
}

bool HostileMemory::contains(std::uint64_t remote, std::span<const Segment> pieces) const {
  std::uint64_t length = 0;
  for (const Segment& piece : pieces) length += piece.length;
  return remote >= base() && remote - base() <= kSize && length <= kSize - (remote - base());
}

bool HostileMemory::write(std::uint64_t remote, std::span<const Segment> from) {
  if (!contains(remote, from)) return false;
  std::byte* to = bytes_.get() + (remote - base());
  for (const Segment& piece : from) {
    std::memcpy(to, piece.address, piece.length);
    to += piece.length;
  }
  return true;
}

bool HostileMemory::read(std::uint64_t remote, std::span<const Segment> into) {
  if (!contains(remote, into)) return false;
  const std::byte* from = bytes_.get() + (remote - base());
  for (const Segment& piece : into) {
    std::memcpy(piece.address, from, piece.length);
    from += piece.length;
  }
  return true;
}

HostilePort::HostilePort(int side, HostileMemory* direct, bool peer_has_direct)
    : segment_(zeroed<LinkSegment>(1)), side_(side), direct_(direct),
      peer_has_direct_(peer_has_direct) {
  segment_->magic = kSegmentMagic;
  segment_->version = kSegmentVersion;
  segment_->ring_slots = kRingSlots;
  segment_->room_lines = kRoomLines;
}

class HostileFabric::PendingDial final : public Dial {
 public:
  PendingDial(HostileFabric& fabric, DialEvents& events) : fabric_(fabric), events_(events) {
    fabric_.dials_.push_back(this);
  }
  ~PendingDial() override { std::erase(fabric_.dials_, this); }
  DialEvents& events() { return events_; }

 private:
  HostileFabric& fabric_;
  DialEvents& events_;
};

// All runs share one table: it is large, and an adapter leaves no entry behind when it ends.
std::span<RegionEntry> HostileFabric::region_storage() {
  static RegionEntry* const entries = zeroed<RegionEntry>(RegionTable::kCapacity);
  return {entries, RegionTable::kCapacity};
}

Result<std::unique_ptr<PublishedName>> HostileFabric::publish(ConnQual qualifier) {
  return std::make_unique<Name>(qualifier);
}

Result<std::unique_ptr<Dial>> HostileFabric::dial(const Address&, ConnQual, DialEvents& events) {
  return std::make_unique<PendingDial>(*this, events);
}

void HostileFabric::make_link(int side) {
  if (port_) return;
  port_ = std::make_unique<HostilePort>(side, direct_ ? &memory_ : nullptr, peer_has_direct_);
  events_->on_link(*port_);
}

void HostileFabric::lose_link() {
  if (!port_) return;
  events_->on_link_lost(*port_);
  port_.reset();
}

void HostileFabric::ring_us() {
  if (port_) events_->on_doorbell(*port_);
}

void HostileFabric::answer_dial(bool refuse) {
  if (dials_.empty()) return;
  PendingDial& dial = *dials_.front();
  dials_.erase(dials_.begin());
  if (refuse) {
    dial.events().on_dial_failed(DialFailure::NobodyListens);
    return;
  }
  make_link(0);
  dial.events().on_dialled(*port_);
}

} // namespace datum::fuzz
