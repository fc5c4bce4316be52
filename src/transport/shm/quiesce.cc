// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/quiesce.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fence.h"
#include "base/log.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

// Only a peer of our user can have direct access (direct_access.h): the mark of another is noise,
// by which a stranger could hold us up.
bool is_inside(ShmPort& port, Stag stag) {
  return !port.condemned() && port.peer_has_direct() && port.peer().process.uid == ::geteuid() &&
         port.segment().side[1 - port.side()].mark.load(std::memory_order_acquire) == stag;
}

// A copy of one piece takes microseconds; a peer that lost its processor takes a time slice.
constexpr int kSpins = 2000;

void pause(int round) {
  if (round < kSpins) {
    cpu_pause();
    return;
  }
  const timespec moment{0, 100 * kMicrosecond};
  ::nanosleep(&moment, nullptr);
}

// A dead peer's mark stays; its death is reported later.
bool has_left(ShmPort& port, Stag stag, int round) {
  return !is_inside(port, stag) || (round >= kSpins && port.peer_has_died());
}

} // namespace

bool Quiescence::wait_or_condemn(Stag stag) {
  shared_heavy_fence();
  std::vector<ShmPort*> inside;
  context_.links.for_each([&](ShmPort& port) {
    if (is_inside(port, stag)) inside.push_back(&port);
  });
  const Instant end = context_.now() + context_.options.quiesce_limit;
  for (int round = 0; !inside.empty() && context_.now() < end; ++round) {
    pause(round);
    std::erase_if(inside, [&](ShmPort* port) { return has_left(*port, stag, round); });
  }
  for (ShmPort* port : inside)
    port->condemn("the peer stopped inside an access to memory that is being taken away");
  return inside.empty();
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
  if (make_private(pages, entry.backing_fd, offset)) {
    isolated_.push_back(pages);
    return;
  }
  log(LogLevel::Warn,
      "memory at {:#x}, {} bytes: a stopped peer may still write to it when it goes on; do not "
      "reuse it, or end that peer first",
      entry.base, entry.length);
}

void Quiescence::unshare(const MemoryRange& pages, const RegionEntry& except) {
  std::vector<Stag> affected;
  for (RegionEntry& entry : entries_) {
    const Stag stag = entry.stag.load(std::memory_order_relaxed);
    if (&entry == &except || stag == 0 || entry.backing_fd < 0) continue;
    if (!pages.overlaps({entry.base, entry.length})) continue;
    std::atomic_ref<std::int32_t>(entry.backing_fd).store(-1, std::memory_order_seq_cst);
    affected.push_back(stag);
  }
  // Whoever is inside one of them now may have looked at the file before.
  for (const Stag stag : affected) static_cast<void>(wait_or_condemn(stag));
}

bool Quiescence::is_isolated(const MemoryRange& range) const {
  return std::any_of(isolated_.begin(), isolated_.end(),
                     [&](const MemoryRange& other) { return other.overlaps(range); });
}

} // namespace datum
