// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/map_cache.h"

#include <algorithm>
#include <sys/mman.h>

#include "base/assertion.h"
#include "base/cancellation.h"

namespace datum {
namespace {

struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
};

bool lies_in(const Backing& backing, std::uint64_t size) {
  return backing.length != 0 && backing.offset <= size && backing.length <= size - backing.offset;
}

FileRange range_to_map(const PeerFile& file, const Backing& backing) {
  if (file.size() <= kMapWholeFile) return {0, file.size()};
  const std::uint64_t mask = file.granule() - 1;
  const std::uint64_t begin = backing.offset & ~mask;
  const std::uint64_t end = std::min((backing.offset + backing.length + mask) & ~mask, file.size());
  return {begin, end - begin};
}

} // namespace

bool MapCache::FileMap::covers(const PeerFile& file, const Backing& backing,
                               bool writable_wanted) const {
  return device == file.device() && inode == file.inode() && (writable || !writable_wanted) &&
         backing.offset >= offset && backing.offset - offset <= mapping.size() &&
         backing.length <= mapping.size() - (backing.offset - offset);
}

const MapCache::FileMap* MapCache::find(const PeerFile& file, const Backing& backing,
                                        bool writable) const {
  const auto at = std::find_if(maps_.begin(), maps_.end(), [&](const FileMap& map) {
    return map.covers(file, backing, writable);
  });
  return at == maps_.end() ? nullptr : &*at;
}

void MapCache::drop(std::size_t index) {
  const Mapping& mapping = maps_[index].mapping;
  const std::byte* begin = mapping.data();
  const std::byte* end = begin + mapping.size();
  for (MapSlot& slot : slots_)
    if (slot.at >= begin && slot.at < end) slot = MapSlot();
  DATUM_ASSERT(bytes_ >= mapping.size());
  bytes_ -= mapping.size();
  maps_.erase(maps_.begin() + static_cast<std::ptrdiff_t>(index));
}

// A mapping of a file that the peer has closed would keep memory in use that the peer has freed.
void MapCache::drop_closed() {
  for (std::size_t i = maps_.size(); i-- != 0;) {
    const PeerFile now(pid_, maps_[i].number);
    if (!now || now.device() != maps_[i].device || now.inode() != maps_[i].inode) drop(i);
  }
}

void MapCache::make_room(std::uint64_t bytes) {
  while (!maps_.empty() && (maps_.size() >= kMaxMappings || bytes_ + bytes > kMaxMappedBytes))
    drop(0);
}

const MapCache::FileMap* MapCache::add(const PeerFile& file, const Backing& backing,
                                       bool writable) {
  const UniqueFd opened = file.open(writable);
  if (!opened || !cannot_shrink(opened.get())) return nullptr;
  const FileRange range = range_to_map(file, backing);
  if (range.length > kMaxMappedBytes) return nullptr;
  drop_closed();
  make_room(range.length);
  const auto length = static_cast<std::size_t>(range.length);
  Mapping mapping(::mmap(nullptr, length, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                         opened.get(), static_cast<off_t>(range.begin)),
                  length);
  if (!mapping) return nullptr;
  maps_.push_back(
      {backing.file, file.device(), file.inode(), range.begin, writable, std::move(mapping)});
  bytes_ += range.length;
  DATUM_ASSERT(maps_.size() <= kMaxMappings && bytes_ <= kMaxMappedBytes);
  return &maps_.back();
}

std::byte* MapCache::map_slowly(const Backing& backing, Stag stag, bool writable) {
  const NotCancellable here; // a transfer needs the mapping, so its thread must not end here
  const PeerFile file(pid_, backing.file);
  if (!file || !lies_in(backing, file.size())) return nullptr;
  const FileMap* map = find(file, backing, writable);
  if (map == nullptr) map = add(file, backing, writable);
  if (map == nullptr) return nullptr;
  std::byte* at = map->mapping.data() + (backing.offset - map->offset);
  slots_[slot_of(stag)] = {stag, map->writable, backing, at};
  return at;
}

} // namespace datum
