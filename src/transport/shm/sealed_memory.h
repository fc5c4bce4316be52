// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/sealed_memory.h: memory that two processes share without trusting each other: a
// memfd whose size is sealed, so that no access to its mapping can fail.
// Lives here: making such memory, checking what a peer passed, the link segment in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tl/expected.hpp>

#include "base/unique_fd.h"
#include "transport/link/segment.h"
#include "transport/shm/mapping.h"

namespace datum {

struct SealedMemory {
  UniqueFd file;
  Mapping mapping; // shared, readable and writable; false: the memory could not be made
};

SealedMemory make_sealed_memory(const char* name, std::size_t size);
// Memory without seals, so that the caller may add some.
SealedMemory make_sealable_memory(const char* name, std::size_t size);

// Why a file of a peer cannot be used.
struct FileFault {
  const char* call =
      nullptr;   // the system call that failed; nullptr: the file is not as it has to be
  int error = 0; // its errno
};

// No fault: the file has exactly this size, can neither shrink nor grow, and has ordinary pages.
tl::expected<void, FileFault> check_sealed_memory(int file, std::size_t size);
bool is_sealed_memory(int file, std::size_t size);

// A fresh segment, ready to be offered.
SealedMemory make_segment();
// A segment that a peer passed.
tl::expected<Mapping, FileFault> adopt_segment(int file);
// The version of a segment in sealed memory of any size. Empty: the memory is not sealed, or does
// not begin as a segment does.
std::optional<std::uint32_t> segment_version(int file);

inline LinkSegment& segment_in(const Mapping& mapping) {
  return *reinterpret_cast<LinkSegment*>(mapping.data());
}

} // namespace datum
