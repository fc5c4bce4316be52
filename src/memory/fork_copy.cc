// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fork_copy.h"

#include "backing.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace datum::memory {

constinit ForkCopy::Copy ForkCopy::copies_[kMaxArenas];

namespace {

// Avoids stdio, which may itself be broken.
[[noreturn]] void give_up(const char* why) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, why, std::strlen(why));
  std::abort();
}

// Other threads keep writing during this copy, as they do while fork(2) itself copies memory. The
// copy is made by a bare system call, so ThreadSanitizer reports no race.
bool write_all(int fd, std::uintptr_t base, std::size_t begin, std::size_t end) {
  while (begin < end) {
    const long done = syscall(SYS_pwrite64, fd, base + begin, end - begin, begin);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    begin += static_cast<std::size_t>(done);
  }
  return true;
}

// Calls put(begin, end) for each range below 'used' that was ever written. Holes stay holes.
template <class Put>
bool for_each_written_part(const ArenaInfo& info, std::size_t used, Put put) {
  if (!owns_descriptor(info)) return put(std::size_t{0}, used); // no descriptor to ask
  std::size_t at = 0;
  while (at < used) {
    const off_t data = lseek(info.fd, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0) return errno == ENXIO; // nothing behind 'at'
    const off_t hole = lseek(info.fd, data, SEEK_HOLE);
    const std::size_t begin = static_cast<std::size_t>(data);
    const std::size_t end = hole < 0 ? used : std::min(used, static_cast<std::size_t>(hole));
    if (begin >= used) return true;
    if (!put(begin, end)) return false;
    at = end;
  }
  return true;
}

int copy_to_file(const ArenaInfo& info, std::size_t used) {
  const int fd = open_sealed_memfd(info.length, PagePool::Ordinary);
  if (fd < 0) return -1;
  if (for_each_written_part(info, used, [&](std::size_t begin, std::size_t end) {
        return write_all(fd, info.base, begin, end);
      }))
    return fd;
  close(fd);
  return -1;
}

void* copy_to_pages(const ArenaInfo& info, std::size_t used) {
  void* pages = mmap(nullptr, info.length, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (for_each_written_part(info, used, [&](std::size_t begin, std::size_t end) {
        std::memcpy(static_cast<std::byte*>(pages) + begin,
                    reinterpret_cast<const std::byte*>(info.base) + begin, end - begin);
        return true;
      }))
    return pages;
  munmap(pages, info.length);
  return nullptr;
}

} // namespace

void ForkCopy::install_handlers() {
  pthread_atfork(before, in_parent, in_child);
}

ForkCopy::Copy ForkCopy::copy_of(const ArenaInfo& info, std::size_t used) {
  Copy copy;
  // An arena without a file became private at an earlier fork. The kernel copies it.
  if (info.fd < 0) return copy;
  copy.fd = copy_to_file(info, used);
  if (copy.fd < 0) copy.pages = copy_to_pages(info, used);
  return copy;
}

// Runs just before the fork, after the handlers that were registered later: the locks that they
// take are held by now. What other threads write from here on may be missing in the copy, as if it
// were written after the fork.
void ForkCopy::before() {
  const int saved = errno;
  if (process_arenas.owner(__builtin_frame_address(0)) != 0)
    give_up("datum: fork: the calling thread's stack is in shareable memory, where parent and "
            "child would both run on it; take the stack from mmap instead\n");
  process_arenas.mutex_.lock();
  ArenaInfo info;
  for (unsigned number = 1; number <= kMaxArenas; ++number)
    if (process_arenas.table_.read(number, info))
      copies_[number - 1] = copy_of(info, process_arenas.records_[number - 1].used);
  errno = saved;
}

void ForkCopy::in_parent() {
  const int saved = errno;
  ArenaInfo info;
  for (unsigned number = 1; number <= kMaxArenas; ++number) {
    Copy& copy = copies_[number - 1];
    if (copy.fd >= 0) close(copy.fd);
    if (copy.pages != nullptr && process_arenas.table_.read(number, info))
      munmap(copy.pages, info.length);
    copy = Copy{};
  }
  process_arenas.mutex_.unlock();
  errno = saved;
}

bool ForkCopy::adopt(unsigned number, const ArenaInfo& old, const Copy& copy) {
  void* base = reinterpret_cast<void*>(old.base);
  ArenaInfo info;
  info.base = old.base;
  info.length = old.length;
  info.single_block = old.single_block;
  if (copy.fd >= 0) {
    if (mmap(base, old.length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, copy.fd, 0) != base)
      return false;
    identify(copy.fd, info);
  } else if (copy.pages == nullptr || mremap(copy.pages, old.length, old.length,
                                             MREMAP_MAYMOVE | MREMAP_FIXED, base) != base) {
    return false;
  }
  if (owns_descriptor(old)) close(old.fd);
  process_arenas.table_.replace(number, info);
  return true;
}

void ForkCopy::in_child() {
  const int saved = errno;
  ArenaInfo info;
  for (unsigned number = 1; number <= kMaxArenas; ++number) {
    if (!process_arenas.table_.read(number, info) || info.fd < 0) continue;
    if (!adopt(number, info, copies_[number - 1]))
      give_up(
          "datum: fork: shareable memory could not be copied for the child, for lack of memory "
          "or because lseek(SEEK_DATA) is forbidden; the child ends here, its parent goes on\n");
    copies_[number - 1] = Copy{};
  }
  process_arenas.mutex_.unlock();
  errno = saved;
}

} // namespace datum::memory
