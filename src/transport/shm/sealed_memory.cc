// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/sealed_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/memory_file.h"

namespace datum {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Access to a huge page that was given back, or never reserved, raises SIGBUS once the pool is
// empty.
bool has_huge_pages(int file) {
  struct statfs system {};
  return ::fstatfs(file, &system) != 0 || system.f_type == HUGETLBFS_MAGIC;
}

Mapping map_shared(int file, std::size_t size) {
  return {::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), size};
}

} // namespace

SealedMemory make_sealable_memory(const char* name, std::size_t size) {
  SealedMemory memory{make_memory_file(name), {}};
  if (memory.file && set_length(memory.file, size))
    memory.mapping = map_shared(memory.file.get(), size);
  return memory;
}

SealedMemory make_sealed_memory(const char* name, std::size_t size) {
  SealedMemory memory = make_sealable_memory(name, size);
  if (memory.mapping && ::fcntl(memory.file.get(), F_ADD_SEALS, kSizeSeals) != 0)
    memory.mapping = Mapping();
  return memory;
}

bool is_sealed_memory(int file, std::size_t size) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  struct stat status {};
  return seals >= 0 && (seals & kSizeSeals) == kSizeSeals && ::fstat(file, &status) == 0 &&
         status.st_size == static_cast<off_t>(size) && !has_huge_pages(file);
}

SealedMemory make_segment() {
  SealedMemory memory = make_sealed_memory("datum-link", sizeof(LinkSegment));
  if (memory.mapping) {
    LinkSegment& segment = segment_in(memory.mapping);
    segment.magic = kSegmentMagic;
    segment.version = kSegmentVersion;
    segment.ring_slots = kRingSlots;
    segment.room_lines = kRoomLines;
  }
  return memory;
}

Mapping adopt_segment(int file) {
  if (!is_sealed_memory(file, sizeof(LinkSegment))) return {};
  Mapping mapping = map_shared(file, sizeof(LinkSegment));
  if (!mapping) return {};
  const LinkSegment& segment = segment_in(mapping);
  if (segment.magic != kSegmentMagic || segment.version != kSegmentVersion ||
      segment.ring_slots != kRingSlots || segment.room_lines != kRoomLines)
    return {};
  return mapping;
}

// Only a memfd has seals. So reading it never waits for a file system.
std::optional<std::uint32_t> segment_version(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  std::uint32_t words[2] = {};
  if (seals < 0 || (seals & kSizeSeals) != kSizeSeals ||
      ::pread(file, words, sizeof words, 0) != sizeof words || words[0] != kSegmentMagic)
    return std::nullopt;
  return words[1];
}

} // namespace datum
