// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/quiesce.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <new>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fence.h"
#include "base/log.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

// Only a peer of the same user can have direct access (direct_access.h). The marks of other peers
// are ignored: with a mark another user could delay this process.
bool is_inside(ShmPort& port, Stag stag) {
  return !port.condemned() && port.peer_has_direct() && port.peer().process.uid == ::geteuid() &&
         port.segment().side[1 - port.side()].mark.load(std::memory_order_acquire) == stag;
}

// How often the marks are read before this process sleeps between two reads. A copy of one piece
// takes microseconds. A peer that has lost its processor may need a time slice.
constexpr int kSpins = 2000;

void pause(int round) {
  if (round < kSpins) {
    cpu_pause();
    return;
  }
  const timespec moment{0, 100 * kMicrosecond};
  ::nanosleep(&moment, nullptr);
}

// A peer that has died leaves its mark set, and the link learns of the death only later. So the
// peer's process is checked after kSpins rounds.
bool has_left(ShmPort& port, Stag stag, int round) {
  return !is_inside(port, stag) || (round >= kSpins && port.peer_has_died());
}

} // namespace

bool Quiescence::wait_or_condemn(Stag stag) {
  shared_heavy_fence();
  const Instant end = context_.now() + context_.options.quiesce_limit;
  bool left = all_have_left(stag, 0);
  for (int round = 0; !left && context_.now() < end; ++round) {
    pause(round);
    left = all_have_left(stag, round);
  }
  if (left) return true;
  context_.links.for_each([stag](ShmPort& port) {
    if (!has_left(port, stag, kSpins))
      port.condemn("the peer stopped inside an access to memory that is being taken away");
  });
  return false;
}

bool Quiescence::all_have_left(Stag stag, int round) {
  bool all = true;
  context_.links.for_each([&](ShmPort& port) { all = all && has_left(port, stag, round); });
  return all;
}

void Quiescence::wait_for(Stag stag) {
  if (wait_or_condemn(stag)) return;
  const std::size_t index = stag >> 8U;
  if (index >= entries_.size()) return;
  const RegionEntry& entry = entries_[index];
  if (entry.backing_fd >= 0 && (entry.access & kRemoteWrite) != 0) isolate(entry);
}

void Quiescence::isolate(const RegionEntry& entry) {
  const MemoryRange pages = page_range({entry.base, entry.length}, entry.backing_fd);
  unshare(pages, entry);
  const std::uint64_t offset = entry.backing_offset - (entry.base - pages.base);
  try {
    isolated_.reserve(isolated_.size() + 1);
    if (make_private(pages, entry.backing_fd, offset)) {
      isolated_.push_back(pages);
      return;
    }
  } catch (const std::bad_alloc&) { // the pages stay shared
  }
  log(LogLevel::Warn,
      "memory at {:#x}, {} bytes: a stopped peer may still write to it when it goes on; do not "
      "reuse it, or end that peer first",
      entry.base, entry.length);
}

void Quiescence::unshare(const MemoryRange& pages, const RegionEntry& except) {
  const auto affected = [&](const RegionEntry& entry) {
    return &entry != &except && entry.stag.load(std::memory_order_relaxed) != 0 &&
           pages.overlaps({entry.base, entry.length});
  };
  for (RegionEntry& entry : entries_)
    if (affected(entry) && entry.backing_fd >= 0)
      std::atomic_ref<std::int32_t>(entry.backing_fd).store(-1, std::memory_order_seq_cst);
  // A peer that is inside an affected region now may have read the entry's backing_fd before it was
  // changed. So wait until the peer has left.
  for (const RegionEntry& entry : entries_)
    if (affected(entry))
      static_cast<void>(wait_or_condemn(entry.stag.load(std::memory_order_relaxed)));
}

bool Quiescence::is_isolated(const MemoryRange& range) const {
  return std::any_of(isolated_.begin(), isolated_.end(),
                     [&](const MemoryRange& other) { return other.overlaps(range); });
}

} // namespace datum
