// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/sealed_memory.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "base/refused_calls.h"

namespace datum {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

tl::unexpected<FileFault> not_as_it_has_to_be() {
  return tl::unexpected(FileFault{});
}

// A failed call mostly means that the file is not as it has to be. But if a sandbox refuses the
// call itself, that says nothing about the file.
tl::unexpected<FileFault> failed(const char* call) {
  return is_refusal_of_call(errno) ? tl::unexpected(FileFault{call, errno}) : not_as_it_has_to_be();
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

tl::expected<void, FileFault> check_sealed_memory(int file, std::size_t size) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  if (seals < 0) return failed("fcntl");
  if ((seals & kSizeSeals) != kSizeSeals) return not_as_it_has_to_be();
  struct stat status {};
  if (::fstat(file, &status) != 0) return failed("fstat");
  if (status.st_size != static_cast<off_t>(size)) return not_as_it_has_to_be();
  // Access to a huge page that was given back, or never reserved, raises SIGBUS once the pool is
  // empty.
  struct statfs system {};
  if (::fstatfs(file, &system) != 0) return failed("fstatfs");
  if (system.f_type == HUGETLBFS_MAGIC) return not_as_it_has_to_be();
  return {};
}

bool is_sealed_memory(int file, std::size_t size) {
  return check_sealed_memory(file, size).has_value();
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

tl::expected<Mapping, FileFault> adopt_segment(int file) {
  if (const auto sealed = check_sealed_memory(file, sizeof(LinkSegment)); !sealed)
    return tl::unexpected(sealed.error());
  Mapping mapping = map_shared(file, sizeof(LinkSegment));
  // All other errors come from the access mode or the seals of the peer's descriptor.
  if (!mapping)
    return errno == ENOMEM ? tl::unexpected(FileFault{"mmap", errno}) : not_as_it_has_to_be();
  const LinkSegment& segment = segment_in(mapping);
  if (segment.magic != kSegmentMagic || segment.version != kSegmentVersion ||
      segment.ring_slots != kRingSlots || segment.room_lines != kRoomLines)
    return not_as_it_has_to_be();
  return mapping;
}

// The seals show that the file is a memfd, so reading it never waits for a file system.
std::optional<std::uint32_t> segment_version(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  std::uint32_t words[2] = {};
  if (seals < 0 || (seals & kSizeSeals) != kSizeSeals ||
      ::pread(file, words, sizeof words, 0) != sizeof words || words[0] != kSegmentMagic)
    return std::nullopt;
  return words[1];
}

} // namespace datum
