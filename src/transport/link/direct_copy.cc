// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hot path: no allocation, no logging.
#include "transport/link/direct_copy.h"

#include <array>

#include "base/assertion.h"
#include "core/port/copy.h"
#include "transport/link/link.h"
#include "transport/link/link_transport.h"

namespace datum {
namespace {

// A polling peer places a shorter Write from its ring in less time than one system call takes.
constexpr std::uint64_t kRingWriteBelow = kMaxPiece;

const RegionEntry* entry_of(DirectAccess& direct, Stag stag) {
  const std::span<const RegionEntry> regions = direct.regions();
  const std::size_t index = stag >> 8U;
  return index < regions.size() ? &regions[index] : nullptr;
}

static_assert(kMaxFetchSegments >= Limits{}.max_iov,
              "a copy takes the segments of any request, and of any Recv");

struct Pieces {
  std::array<Segment, kMaxFetchSegments> items;
  std::size_t count = 0;
  std::span<const Segment> all() const { return {items.data(), count}; }
};

Pieces slice(std::span<const LocalTriplet> local, std::uint64_t offset, std::uint64_t length) {
  Pieces pieces;
  for_each_piece(local, offset, length, [&](std::byte* at, std::uint64_t size) {
    DATUM_ASSERT(pieces.count < pieces.items.size());
    pieces.items[pieces.count++] = {at, size};
  });
  return pieces;
}

bool copy_by_call(DirectAccess& direct, bool write, std::uint64_t remote,
                  std::span<const Segment> pieces) {
  return write ? direct.write(remote, pieces) : direct.read(remote, pieces);
}

} // namespace

bool DirectCopy::suits(const WorkRequest& request) const {
  Link& link = *frame_.link();
  DirectAccess* direct = link.direct();
  if (direct == nullptr || request.length == 0 || request.local.size() > kMaxFetchSegments)
    return false;
  if (request.opcode == Opcode::RdmaRead) return true;
  const RegionEntry* entry = entry_of(*direct, request.remote.stag);
  const bool mapped = entry != nullptr && entry->backing_fd >= 0;
  return mapped || request.length >= kRingWriteBelow || !link.peer_takes_writes();
}

bool DirectCopy::has_turn(std::uint64_t octets) const {
  const Link& link = *frame_.link();
  return !link.in_turn() || (!link.has_listed_work() && frame_.transport().take_turn(octets));
}

DtoStatus DirectCopy::copy_for_a_while(const RemoteTriplet& remote, Access right,
                                       std::span<const LocalTriplet> local, std::uint64_t offset,
                                       std::uint64_t length) {
  Progress& progress = *frame_.host().progress;
  progress.copying();
  const DtoStatus status = copy_marked(remote, right, local, offset, length);
  progress.copied(length);
  return status;
}

DtoStatus DirectCopy::copy_marked(const RemoteTriplet& remote, Access right,
                                  std::span<const LocalTriplet> local, std::uint64_t offset,
                                  std::uint64_t length) {
  Link& link = *frame_.link();
  // The link may have lost direct access since an earlier turn of the copy.
  DirectAccess* const way = link.direct();
  if (way == nullptr) return DtoStatus::Transport;
  DirectAccess& direct = *way;
  const RegionEntry* shared = entry_of(direct, remote.stag);
  if (shared == nullptr) return DtoStatus::RemoteAccess;
  const bool write = right == kRemoteWrite;
  link.mark(remote.stag);
  RegionEntry entry;
  load_once(*shared, entry);
  DtoStatus status = DtoStatus::Success;
  const LinkPeer& peer = frame_.peer();
  const AccessFault fault = check_access(entry, remote.stag, remote.address, remote.length, right,
                                         peer.zone, peer.endpoint);
  if (fault != AccessFault::None) {
    status = DtoStatus::RemoteAccess;
  } else if (std::byte* base = direct.map(entry, remote.stag, write)) {
    std::byte* at = base + (remote.address - entry.origin);
    if (write) {
      gather_visible(at, local, offset, length);
    } else {
      scatter(local, offset, at, length);
    }
  } else if (local.size() == 1) {
    const Segment piece{pointer(local[0].address + offset), length};
    if (!copy_by_call(direct, write, remote.address + entry.shift(), {&piece, 1}))
      status = DtoStatus::Transport;
  } else {
    const Pieces pieces = slice(local, offset, length);
    if (!copy_by_call(direct, write, remote.address + entry.shift(), pieces.all()))
      status = DtoStatus::Transport;
  }
  link.unmark();
  return status;
}

} // namespace datum
