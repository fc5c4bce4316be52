// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/sealed_memory.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

namespace datum {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr unsigned kMfdNoexecSeal = 8; // MFD_NOEXEC_SEAL, younger than the C library's headers

UniqueFd make_memfd(const char* name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  // With vm.memfd_noexec=2 the kernel insists on the flag; before Linux 6.3 it refuses it.
  UniqueFd file(::memfd_create(name, kFlags | kMfdNoexecSeal));
  if (!file && errno == EINVAL) file = UniqueFd(::memfd_create(name, kFlags));
  return file;
}

// A longer file would not fail but end the process (SIGXFSZ).
bool may_be_as_long(std::size_t size) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size;
}

// A page of the pool that was given back, or never reserved, is SIGBUS once the pool is empty.
bool has_huge_pages(int file) {
  struct statfs system {};
  return ::fstatfs(file, &system) != 0 || system.f_type == HUGETLBFS_MAGIC;
}

Mapping map_shared(int file, std::size_t size) {
  return {::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), size};
}

} // namespace

SealedMemory make_sealable_memory(const char* name, std::size_t size) {
  SealedMemory memory;
  if (!may_be_as_long(size)) {
    errno = EFBIG;
    return memory;
  }
  memory.file = make_memfd(name);
  if (memory.file && ::ftruncate(memory.file.get(), static_cast<off_t>(size)) == 0)
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

} // namespace datum
