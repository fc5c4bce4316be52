// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/vm_copy.h"

#include <algorithm>

namespace datum {
namespace {

// An address range in another process. The kernel's interface takes the address as a pointer all
// the same.
iovec remote_range(std::uint64_t address, std::uint64_t length) {
  return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)),
          static_cast<std::size_t>(length)};
}

} // namespace

bool VmPieces::next(VmPiece& piece) {
  piece.local_count = 0;
  piece.remote = remote_;
  piece.length = 0;
  while (!left_.empty() && piece.local_count < kPieceSegments && piece.length < kPieceBytes) {
    const Segment& segment = left_.front();
    const std::uint64_t take = std::min(segment.length - into_first_, kPieceBytes - piece.length);
    if (take != 0)
      piece.local[piece.local_count++] = {segment.address + into_first_,
                                          static_cast<std::size_t>(take)};
    piece.length += take;
    into_first_ += take;
    if (into_first_ == segment.length) {
      left_ = left_.subspan(1);
      into_first_ = 0;
    }
  }
  piece.last = left_.empty();
  remote_ += piece.length;
  return piece.length != 0;
}

bool write_piece(pid_t pid, const VmPiece& piece) {
  const std::uint64_t tail = piece.last ? std::min(piece.length, kTailBytes) : 0;
  const std::uint64_t head = piece.length - tail;
  std::array<iovec, 2> remote{};
  std::size_t count = 0;
  if (head != 0) remote[count++] = remote_range(piece.remote, head);
  if (tail != 0) remote[count++] = remote_range(piece.remote + head, tail);
  const ssize_t done =
      ::process_vm_writev(pid, piece.local.data(), piece.local_count, remote.data(), count, 0);
  return done == static_cast<ssize_t>(piece.length);
}

bool read_piece(pid_t pid, const VmPiece& piece) {
  const iovec remote = remote_range(piece.remote, piece.length);
  const ssize_t done =
      ::process_vm_readv(pid, piece.local.data(), piece.local_count, &remote, 1, 0);
  return done == static_cast<ssize_t>(piece.length);
}

} // namespace datum
