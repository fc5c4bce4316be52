// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/vm_copy.h: cuts a copy between local segments and another process into calls of
// process_vm_readv and process_vm_writev.
// Lives here: the pieces, and the order in which bytes become visible.
// Not here:   whether the process is the right one (direct_access).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/types.h>
#include <sys/uio.h>

#include "core/port/types.h"

namespace datum {

inline constexpr std::size_t kPieceSegments = 64;
// A call costs about 2 us, so a piece should be long. But a peer may be waiting for the call to end
// (quiesce), so a piece has a limit.
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20U;
// Programs spin on the last word of a buffer. So that word is copied after all others.
inline constexpr std::uint64_t kTailBytes = 8;

struct VmPiece {
  std::array<iovec, kPieceSegments> local;
  std::size_t local_count = 0;
  std::uint64_t remote = 0;
  std::uint64_t length = 0;
  bool last = false; // the last piece of the copy
};

// Walks over a copy piece by piece.
class VmPieces {
 public:
  VmPieces(std::uint64_t remote, std::span<const Segment> segments)
      : remote_(remote), left_(segments) {}
  // False: the copy is complete.
  bool next(VmPiece& piece);

 private:
  std::uint64_t remote_;
  std::span<const Segment> left_;
  std::uint64_t into_first_ = 0; // how much of the first segment is done
};

bool write_piece(pid_t pid, const VmPiece& piece);
bool read_piece(pid_t pid, const VmPiece& piece);

} // namespace datum
