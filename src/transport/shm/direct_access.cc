// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/direct_access.h"
#include "base/cancellation.h"
#include "base/cpu.h"
#include "base/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transport/host/same_user.h"
#include "transport/shm/peer_file.h"
#include "transport/shm/sealed_memory.h"
#include "transport/shm/vm_copy.h"

namespace datum {
namespace {

// Reads up to this length go through /proc/<pid>/mem. Such a read copies twice, which costs little
// for a page.
constexpr std::uint64_t kShortRead = 4096;

// 0, or the errno that says why the process cannot be read.
int read_nonce(pid_t pid, const DirectTerms& terms, std::uint64_t& found) {
  const iovec local{&found, sizeof found};
  const iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(terms.nonce_address)),
                     sizeof found};
  return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == sizeof found ? 0 : errno;
}

// 0, or the errno with which process_vm_writev() itself is refused: a filter of system calls may
// allow reads alone. The call writes no octets. A read has succeeded before, so the kernel permits
// access to the process.
int refusal_of_writes(pid_t pid) {
  return ::process_vm_writev(pid, nullptr, 0, nullptr, 0, 0) == 0 ? 0 : errno;
}

UniqueFd open_told(pid_t pid, int number, std::uint64_t device, std::uint64_t inode,
                   bool writable) {
  const PeerFile file(pid, number);
  if (!file || file.device() != device || file.inode() != inode) return UniqueFd();
  return file.open(writable);
}

// Short copies go through /proc/<pid>/mem. They are a quarter faster than process_vm_*, and need no
// check that the pid still names the peer.
UniqueFd open_memory(pid_t pid, const DirectTerms& terms) {
  UniqueFd memory(::open(text("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC));
  std::uint64_t found = 0;
  const auto at = static_cast<off_t>(terms.nonce_address);
  if (!memory || ::pread(memory.get(), &found, sizeof found, at) != sizeof found ||
      found != terms.nonce)
    return UniqueFd();
  return memory;
}

std::string why_unreadable(int error) {
  if (error == EPERM)
    return "the kernel forbids it (ptrace scope, capabilities or a process that is not dumpable)";
  return text("its memory cannot be read: {}", std::strerror(error));
}

} // namespace

std::unique_ptr<ProcessMemory> ProcessMemory::open(const PeerCredentials& process,
                                                   const DirectTerms& terms, std::string& reason) {
  const auto refuse = [&reason](std::string why) {
    reason = std::move(why);
    return nullptr;
  };
  if (terms.table_fd < 0 || terms.life_fd < 0)
    return refuse("the peer has switched it off, or has no life token");
  if (process.pid == 0) return refuse("the peer is in another pid namespace");
  if (!is_same_user(process.uid, ::geteuid()).value_or(false))
    return refuse("the peer runs as another user");
  std::uint64_t found = 0;
  if (const int error = read_nonce(process.pid, terms, found); error != 0)
    return refuse(why_unreadable(error));
  if (found != terms.nonce) return refuse("the process is not the peer");
  if (const int error = refusal_of_writes(process.pid); error != 0)
    return refuse(text("process_vm_writev is refused: {}", std::strerror(error)));

  PeerLife life(open_told(process.pid, terms.life_fd, terms.device, terms.life_inode, true));
  if (!life.lives())
    return refuse(::access("/proc/self/fd", X_OK) == 0
                      ? "its life token cannot be opened"
                      : "/proc is not mounted, through which its life token is opened");
  const UniqueFd table =
      open_told(process.pid, terms.table_fd, terms.device, terms.table_inode, false);
  if (!table || !is_sealed_memory(table.get(), RegionTable::kStorageBytes))
    return refuse("its region table cannot be opened");
  Mapping mapping(
      ::mmap(nullptr, RegionTable::kStorageBytes, PROT_READ, MAP_SHARED, table.get(), 0),
      RegionTable::kStorageBytes);
  if (!mapping) return refuse("its region table cannot be mapped");
  return std::unique_ptr<ProcessMemory>(new ProcessMemory(
      process.pid, open_memory(process.pid, terms), std::move(life), std::move(mapping)));
}

ProcessMemory::ProcessMemory(pid_t pid, UniqueFd memory, PeerLife life, Mapping table)
    : pid_(pid), memory_(std::move(memory)), life_(std::move(life)), table_(std::move(table)),
      maps_(pid) {}

std::span<const RegionEntry> ProcessMemory::regions() {
  return {reinterpret_cast<const RegionEntry*>(table_.data()), RegionTable::kCapacity};
}

std::byte* ProcessMemory::map(const RegionEntry& entry, Stag stag, bool writable) {
  return maps_.map(entry, stag, writable);
}

bool ProcessMemory::prefetch(Stag stag, std::uint64_t address) {
  std::byte* at = maps_.mapped_for_write(stag, address);
  if (at != nullptr) prefetch_for_write(at);
  return at != nullptr;
}

// Writes one word at most, because the peer has to see all bytes at once.
bool ProcessMemory::write_short(std::uint64_t remote, const Segment& from) const {
  return memory_ && from.length <= kTailBytes &&
         uncancelled_pwrite(memory_.get(), from.address, from.length, remote) ==
             static_cast<ssize_t>(from.length);
}

bool ProcessMemory::read_short(std::uint64_t remote, const Segment& into) const {
  return memory_ && into.length <= kShortRead &&
         uncancelled_pread(memory_.get(), into.address, into.length, remote) ==
             static_cast<ssize_t>(into.length);
}

bool ProcessMemory::write(std::uint64_t remote, std::span<const Segment> from) {
  return (from.size() == 1 && write_short(remote, from[0])) || write_pieces(remote, from);
}

bool ProcessMemory::read(std::uint64_t remote, std::span<const Segment> into) {
  return (into.size() == 1 && read_short(remote, into[0])) || read_pieces(remote, into);
}

bool ProcessMemory::write_pieces(std::uint64_t remote, std::span<const Segment> from) {
  VmPieces pieces(remote, from);
  VmPiece piece;
  while (pieces.next(piece))
    if (!life_.lives() || !write_piece(pid_, piece)) return false;
  return true;
}

bool ProcessMemory::read_pieces(std::uint64_t remote, std::span<const Segment> into) {
  VmPieces pieces(remote, into);
  VmPiece piece;
  while (pieces.next(piece))
    if (!read_piece(pid_, piece)) return false;
  // If the peer lives now, it lived during the whole copy, and no byte came from another process
  // that got its pid. If the peer has ended, the request fails, and the copied bytes are not used.
  return life_.lives();
}

} // namespace datum
