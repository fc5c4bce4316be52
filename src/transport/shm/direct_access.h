// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/direct_access.h: access to a peer's memory, where the kernel permits it.
// Lives here: proving that a process is the peer, the peer's region table, copies by process_vm_*.
// Not here:   permission checks of regions (the caller makes them, under a mark), mappings
//             (map_cache).
// Rules:      direct access is only to a process of the same user that the kernel lets this process
//             trace. So this process gains no new right, and the peer gains no new way to stall
//             this process. process_vm_* names the peer by its pid, so every copy proves that the
//             pid still names the same address space; docs/design/shm.md tells which risk remains.
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "transport/link/fabric.h"
#include "transport/shm/handshake_wire.h"
#include "transport/shm/life_token.h"
#include "transport/shm/map_cache.h"
#include "transport/shm/mapping.h"
#include "transport/shm/message_socket.h"

namespace datum {

class ProcessMemory final : public DirectAccess {
 public:
  // nullptr: direct access is not possible, and `reason` says why.
  static std::unique_ptr<ProcessMemory> open(const PeerCredentials& process,
                                             const DirectTerms& terms, std::string& reason);

  std::span<const RegionEntry> regions() override;
  std::byte* map(const RegionEntry& entry, Stag stag, bool writable) override;
  bool prefetch(Stag stag, std::uint64_t address) override;
  bool write(std::uint64_t remote, std::span<const Segment> from) override;
  bool read(std::uint64_t remote, std::span<const Segment> into) override;
  // True: some of the peer's memory is mapped here.
  bool has_mappings() const { return maps_.mappings() != 0; }

 private:
  ProcessMemory(pid_t pid, UniqueFd memory, PeerLife life, Mapping table);
  bool write_short(std::uint64_t remote, const Segment& from) const;
  bool read_short(std::uint64_t remote, const Segment& into) const;
  // Not inlined, because a VmPiece takes a kilobyte of the stack, which short copies do not need.
  [[gnu::noinline]] bool write_pieces(std::uint64_t remote, std::span<const Segment> from);
  [[gnu::noinline]] bool read_pieces(std::uint64_t remote, std::span<const Segment> into);

  const pid_t pid_;
  // /proc/<pid>/mem, or none. The file stays with this address space, even if the pid is reused.
  const UniqueFd memory_;
  const PeerLife life_;
  const Mapping table_;
  MapCache maps_;
};

} // namespace datum
