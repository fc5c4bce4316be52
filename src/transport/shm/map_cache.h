// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/map_cache.h: the peer's shareable memory, mapped here.
// Lives here: mappings of the peer's sealed files, found again by STag without a system call.
// Not here:   whether an access is allowed; a mapping reaches further than one region.
// Bounds:     kMaxMappings and kMaxMappedBytes (of address space) per peer; the oldest mapping is
//             dropped first. When a mapping is added, mappings of files that the peer has closed
//             are dropped. The end of the link drops all mappings.
// Threads:    the adapter's lock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "core/port/region_table.h"
#include "transport/shm/mapping.h"
#include "transport/shm/peer_file.h"

namespace datum {

inline constexpr std::size_t kMaxMappings = 64;
inline constexpr std::uint64_t kMaxMappedBytes = std::uint64_t{64} << 30U;
// A file up to this size is mapped whole: a later region of the same file then needs no new
// mapping.
inline constexpr std::uint64_t kMapWholeFile = std::uint64_t{1} << 30U;

// The fields of a region entry that a mapping depends on. They are loaded once, since the entry's
// owner may change it at any time.
struct Backing {
  explicit Backing(const RegionEntry& entry)
      : base(entry.base), length(entry.length), file(entry.backing_fd),
        offset(entry.backing_offset) {}
  Backing() = default;
  bool operator==(const Backing&) const = default;

  std::uint64_t base = 0;
  std::uint64_t length = 0;
  std::int32_t file = -1;
  std::uint64_t offset = 0;
};

class MapCache {
 public:
  explicit MapCache(pid_t pid) : pid_(pid) {}

  // The pointer is valid until the next call. nullptr: the region has no file that may be mapped.
  std::byte* map(const RegionEntry& entry, Stag stag, bool writable) {
    const Backing backing(entry);
    const MapSlot& slot = slots_[slot_of(stag)];
    if (slot.stag == stag && slot.backing == backing && (slot.writable || !writable))
      return slot.at;
    if (backing.file < 0) return nullptr;
    return map_slowly(backing, stag, writable);
  }
  // Where the byte at `address` lies in the writable mapping that was last used with `stag`;
  // nullptr: there is no such mapping. The region entry is not checked.
  std::byte* mapped_for_write(Stag stag, std::uint64_t address) const {
    const MapSlot& slot = slots_[slot_of(stag)];
    const std::uint64_t offset = address - slot.backing.base;
    return slot.stag == stag && slot.writable && offset < slot.backing.length ? slot.at + offset
                                                                              : nullptr;
  }
  std::size_t mappings() const { return maps_.size(); }
  std::uint64_t mapped_bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kSlots = 64;
  static std::size_t slot_of(Stag stag) { return (stag >> 8U) % kSlots; }

  struct MapSlot {
    Stag stag = 0;
    bool writable = false;
    Backing backing;
    std::byte* at = nullptr; // where the byte at `backing.base` lies
  };
  struct FileMap {
    std::int32_t number = -1; // the peer's descriptor, when the file was mapped
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t offset = 0;
    bool writable = false;
    Mapping mapping;

    bool covers(const PeerFile& file, const Backing& backing, bool writable_wanted) const;
  };

  std::byte* map_slowly(const Backing& backing, Stag stag, bool writable);
  const FileMap* find(const PeerFile& file, const Backing& backing, bool writable) const;
  const FileMap* add(const PeerFile& file, const Backing& backing, bool writable);
  void make_room(std::uint64_t bytes);
  void drop_closed();
  void drop(std::size_t index);

  const pid_t pid_;
  std::array<MapSlot, kSlots> slots_{};
  std::deque<FileMap> maps_; // oldest first
  std::uint64_t bytes_ = 0;
};

} // namespace datum
