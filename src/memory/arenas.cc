// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "arenas.h"

#include "backing.h"

#include <algorithm>
#include <cerrno>

namespace datum::memory {

constinit Arenas process_arenas;

unsigned Arenas::free_number() const {
  for (unsigned number = 1; number <= kMaxArenas; ++number)
    if (!records_[number - 1].in_use) return number;
  return 0;
}

unsigned Arenas::add(const ArenaInfo& info, std::size_t used) {
  const unsigned number = free_number();
  records_[number - 1] = Record{true, used};
  table_.publish(number, info);
  return number;
}

void* Arenas::carve_from_current(std::size_t size, std::size_t alignment) {
  ArenaInfo info;
  if (current_ == 0 || !table_.read(current_, info)) return nullptr;
  Record& record = records_[current_ - 1];
  const std::uintptr_t at = round_up(info.base + record.used, alignment);
  const std::size_t begin = at - info.base;
  if (begin > info.length || size > info.length - begin) return nullptr;
  record.used = begin + size;
  return reinterpret_cast<void*>(at);
}

// Adds an arena, twice as long as the arena before it, so that there are few arenas. A limit may
// make it shorter, down to `least`.
bool Arenas::grow(std::size_t least) {
  if (free_number() == 0) {
    errno = EMFILE;
    return false;
  }
  least = round_up(least, kGranule);
  const std::size_t longest = std::max(longest_file() / kGranule * kGranule, kGranule);
  const std::size_t wanted = std::clamp(wanted_length_ * 2, kFirstArena, kLargestArena);
  std::size_t length = std::max(least, std::min(wanted, longest));
  ArenaInfo info;
  int error = map_new_file(length, PagePool::Ordinary, info);
  while (error != 0 && length > least) {
    length = std::max(least, round_up(length / 2, kGranule));
    error = map_new_file(length, PagePool::Ordinary, info);
  }
  if (error != 0) {
    errno = error;
    return false;
  }
  current_ = add(info, 0);
  wanted_length_ = std::max(wanted, length);
  return true;
}

void* Arenas::carve(std::size_t size, std::size_t alignment) {
  if (size > SIZE_MAX / 4 || alignment > SIZE_MAX / 4) {
    errno = ENOMEM;
    return nullptr;
  }
  const Lock lock(mutex_);
  if (void* got = carve_from_current(size, alignment)) return got;
  // An arena begins at a chunk boundary; only larger alignments need room to align in.
  const std::size_t slack = alignment > kChunkSize ? alignment : 0;
  return grow(size + slack) ? carve_from_current(size, alignment) : nullptr;
}

void Arenas::uncarve(void* address, std::size_t size) {
  const Lock lock(mutex_);
  ArenaInfo info;
  if (current_ == 0 || !table_.read(current_, info)) return;
  const std::size_t begin = reinterpret_cast<std::uintptr_t>(address) - info.base;
  Record& record = records_[current_ - 1];
  if (begin < info.length && begin + size == record.used) record.used = begin;
}

int Arenas::map_block(std::size_t length, unsigned& number, ArenaInfo& info) {
  const Lock lock(mutex_);
  if (free_number() == 0) return EMFILE;
  if (map_new_file(length, PagePool::HugeTlb, info) != 0)
    if (const int error = map_new_file(length, PagePool::Ordinary, info)) return error;
  info.single_block = true;
  number = add(info, length);
  return 0;
}

void* Arenas::open_block(std::size_t size, datum_memory_pages& obtained) {
  if (size > SIZE_MAX / 4) {
    errno = ENOMEM;
    return nullptr;
  }
  unsigned number = 0;
  ArenaInfo info;
  const std::size_t length = round_up(std::max(size, std::size_t{1}), kHugePageSize);
  if (const int error = map_block(length, number, info)) {
    errno = error;
    return nullptr;
  }
  // Without the lock: to populate the block takes a while, and no other thread knows it yet.
  void* base = reinterpret_cast<void*>(info.base);
  const bool ordinary = info.pages == DATUM_MEMORY_PAGES_BASE;
  if (ordinary) advise_huge_pages(info);
  if (!populate(base, info.length)) {
    close_block(base);
    errno = ENOMEM;
    return nullptr;
  }
  if (ordinary) info.pages = collapse_to_huge_pages(info);
  const Lock lock(mutex_);
  set_pages(number, info.pages);
  obtained = info.pages;
  return base;
}

// Reads the description again: while open_block() populated the block, a fork may have replaced the
// file.
void Arenas::set_pages(unsigned number, datum_memory_pages pages) {
  ArenaInfo info;
  if (!table_.read(number, info)) return;
  info.pages = pages;
  table_.replace(number, info);
}

std::size_t Arenas::block_length(const void* address) const {
  const unsigned number = owner(address);
  ArenaInfo info;
  if (number == 0 || !table_.is_single_block(number) || !table_.read(number, info)) return 0;
  return info.length;
}

void Arenas::close_block(void* address) {
  const unsigned number = owner(address);
  ArenaInfo info;
  {
    const Lock lock(mutex_);
    if (number == 0 || !table_.read(number, info)) return;
    table_.retract(number);
    records_[number - 1] = Record{};
  }
  unmap(info);
}

int Arenas::lookup(const void* address, std::size_t size, datum_memory_backing& out) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (address == nullptr || size == 0) return EINVAL;
  const unsigned number = table_.owner(at);
  ArenaInfo info;
  if (number == 0 || !table_.read(number, info)) return ENOENT;
  const std::uintptr_t offset = at - info.base;
  if (offset >= info.length || size > info.length - offset) return ENOENT;
  const int saved = errno;
  const bool alive = owns_descriptor(info);
  errno = saved;
  if (!alive) return EBADF;
  out.fd = info.fd;
  out.flags = DATUM_MEMORY_SEALED;
  out.offset = offset;
  out.length = info.length - offset;
  out.device = info.device;
  out.inode = info.inode;
  out.pages = info.pages;
  return 0;
}

} // namespace datum::memory
