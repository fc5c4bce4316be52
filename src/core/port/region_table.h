// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/region_table.h: the memory that each STag names, which endpoints may access it, and
// with which rights.
// Lives here: the entries (a wire format: peers of the same user map them read-only), lookup, the
//             checks 15..19 and 20..24 of decision 410.
// Not here:   the owners of the memory (MemoryRegion, MemoryWindow).
// Threads:    the adapter's lock. Readers in other processes rely on the order of writes: `stag` is
//             written last (release) when an entry is published, and cleared first when the entry
//             is revoked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "core/port/types.h"

namespace datum {

struct RegionEntry {
  std::atomic<std::uint32_t> stag{0}; // 0: names nothing
  std::uint32_t access = 0;
  std::uint64_t base = 0; // the owner's virtual address
  std::uint64_t length = 0;
  std::uint32_t zone = 0;           // ProtectionZone::id()
  std::uint32_t endpoint = 0;       // 0: any EP of the zone; in DAT 2.0 a window may have one EP
  std::int32_t backing_fd = -1;     // a sealed memfd of the owner that holds these bytes, or -1
  std::uint32_t window = 0;         // 1: an RMR, which local DTOs may not name
  std::uint64_t backing_offset = 0; // the offset of `base` in that file
  std::uint64_t origin = 0;         // how peers address `base`: 0 if zero-based (DAT 2.0)
  std::uint64_t padding[1] = {};

  // Added to a peer's address, it gives the owner's address.
  std::uint64_t shift() const { return base - origin; }
};
static_assert(sizeof(RegionEntry) == 64 && std::is_standard_layout_v<RegionEntry>);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// Makes the checks on an entry that may belong to another process, so each field is loaded once.
inline AccessFault check_access(const RegionEntry& entry, Stag stag, std::uint64_t address,
                                std::uint64_t length, Access right, std::uint32_t zone,
                                std::uint32_t endpoint) {
  if (stag == 0 || entry.stag.load(std::memory_order_acquire) != stag) return AccessFault::BadStag;
  const std::uint32_t only_endpoint = entry.endpoint;
  if (entry.zone != zone || (only_endpoint != 0 && only_endpoint != endpoint))
    return AccessFault::WrongZone;
  if ((entry.access & right) != right) return AccessFault::NoRight;
  if (address + length < address) return AccessFault::Wraps;
  const std::uint64_t origin = entry.origin;
  const std::uint64_t offset = address - origin;
  const std::uint64_t size = entry.length;
  if (address < origin || offset > size || length > size - offset) return AccessFault::OutOfBounds;
  return AccessFault::None;
}

// Copies an entry, and loads each field only once. The owner may change the entry meanwhile, and
// the caller must use the very values that it has checked. So it calls check_access() for the copy.
// The fields do not change while `stag` stays the same.
inline void load_once(const RegionEntry& from, RegionEntry& to) {
  to.stag.store(from.stag.load(std::memory_order_acquire), std::memory_order_relaxed);
  to.access = from.access;
  to.base = from.base;
  to.length = from.length;
  to.zone = from.zone;
  to.endpoint = from.endpoint;
  to.backing_fd = from.backing_fd;
  to.window = from.window;
  to.backing_offset = from.backing_offset;
  to.origin = from.origin;
  std::atomic_signal_fence(std::memory_order_seq_cst); // the compiler must not load again
}

// Peer processes with direct access use entries without the adapter's lock. The gate keeps their
// accesses apart from the freeing of memory.
class DirectAccessGate {
 public:
  virtual ~DirectAccessGate() = default;
  // Returns when no peer is inside a direct access through `stag`. That takes about one second at
  // most. After that time it breaks the connections of the peers that are still inside, and makes
  // their mappings harmless.
  virtual void quiesce(Stag stag) = 0;
};

class RegionTable {
 public:
  static constexpr std::uint32_t kCapacity = 1U << 17U; // LMRs and bound RMRs of one adapter
  static constexpr std::size_t kStorageBytes = kCapacity * sizeof(RegionEntry);

  // `storage`: kCapacity zeroed entries that outlive the table. `seed`: known to no other process.
  RegionTable(std::span<RegionEntry> storage, std::uint64_t seed);

  // Reserves an STag and publishes nothing under it. 0: the table is full. A peer that knows some
  // STags cannot predict the next one: the index is chosen at random within a block, and each index
  // begins with a random key (decision 422).
  Stag reserve();
  struct Description {
    Access access = 0;
    std::uint64_t base = 0;
    std::uint64_t length = 0;
    bool zero_based = false; // peers address `base` as 0
    std::uint32_t zone = 0;
    std::uint32_t endpoint = 0;
    std::int32_t backing_fd = -1;
    std::uint64_t backing_offset = 0;
    bool window = false;
  };
  void publish(Stag stag, const Description& description);
  // After it returns, no code of this or a peer process touches memory through `stag`.
  void revoke(Stag stag);
  // Gives the index back. The index is reused late, and under another key.
  void release(Stag stag);

  AccessFault check(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
                    std::uint32_t zone, std::uint32_t endpoint) const {
    const std::uint32_t index = stag >> 8U;
    if (index >= kCapacity) return AccessFault::BadStag;
    return check_access(storage_[index], stag, address, length, right, zone, endpoint);
  }
  // True: a local DTO of `zone` may use these bytes with this right.
  bool covers(Stag stag, std::uint64_t address, std::uint64_t length, Access right,
              std::uint32_t zone) const {
    const std::uint32_t index = stag >> 8U;
    if (index >= kCapacity || stag == 0) return false;
    const RegionEntry& entry = storage_[index];
    const std::uint64_t offset = address - entry.base;
    return entry.stag.load(std::memory_order_relaxed) == stag && entry.window == 0 &&
           entry.zone == zone && (entry.access & right) == right && offset <= entry.length &&
           length <= entry.length - offset;
  }
  // The entry behind a valid `stag`, or nullptr.
  const RegionEntry* find(Stag stag) const;
  // Changes whenever an STag is revoked: a check done under the same epoch still holds.
  std::uint64_t epoch() const { return epoch_; }
  void set_gate(DirectAccessGate* gate) { gate_ = gate; }
  std::uint32_t used() const { return used_; }

 private:
  // Fresh indexes come from one block at a time, so that few pages are touched.
  static constexpr std::uint32_t kBlock = 256;
  static_assert(kCapacity % kBlock == 0, "every block is whole");
  static_assert(kCapacity <= 1U << 24U, "an STag has 24 bits for the index");
  bool open_block();
  std::uint32_t take_fresh();
  void make_room_for_release();

  std::span<RegionEntry> storage_;
  std::vector<std::uint32_t> free_; // first in, first out, so that an index is reused late
  std::size_t free_head_ = 0;
  std::vector<std::uint8_t> keys_;
  std::array<std::uint32_t, kBlock> fresh_{}; // the first fresh_left_ entries are valid
  std::uint32_t fresh_left_ = 0;
  std::uint32_t next_block_ = 0; // the first index of the next block
  std::uint32_t used_ = 0;
  std::uint64_t epoch_ = 0;
  SeededRandom random_;
  DirectAccessGate* gate_ = nullptr;
};

} // namespace datum
