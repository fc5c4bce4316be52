// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/isolation.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/unique_fd.h"
#include "transport/host/text_file.h"

namespace datum {
namespace {

constexpr int kPopulateWrite = 23; // MADV_POPULATE_WRITE, Linux 5.14

std::uint64_t page_size_of(int file) {
  struct statfs system {};
  if (::fstatfs(file, &system) == 0 && system.f_type == HUGETLBFS_MAGIC)
    return static_cast<std::uint64_t>(system.f_bsize);
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::byte* pointer_to(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

// A page of a private mapping still belongs to the file until it is written. So every page is
// copied now.
void force_copies(const MemoryRange& pages, std::uint64_t page) {
  std::byte* begin = pointer_to(pages.base);
  if (::madvise(begin, static_cast<std::size_t>(pages.length), kPopulateWrite) == 0) return;
  for (std::uint64_t at = 0; at < pages.length; at += page)
    std::atomic_ref<unsigned char>(*reinterpret_cast<unsigned char*>(begin + at)).fetch_or(0);
}

struct MapLine {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  bool shared_writable = false;
};

bool parse(const std::string& line, MapLine& out) {
  char rights[5] = {};
  unsigned long begin = 0;
  unsigned long end = 0;
  unsigned long offset = 0;
  unsigned long inode = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*x:%*x %lu", &begin, &end, rights, &offset,
                  &inode) != 5)
    return false;
  out = {begin, end, offset, inode, rights[0] == 'r' && rights[1] == 'w' && rights[3] == 's'};
  return true;
}

} // namespace

MemoryRange page_range(const MemoryRange& range, int file) {
  const std::uint64_t mask = page_size_of(file) - 1;
  const std::uint64_t begin = range.base & ~mask;
  const std::uint64_t end = (range.base + range.length + mask) & ~mask;
  return {begin, end - begin};
}

bool is_mapped_from(std::string_view maps, const MemoryRange& range, std::uint64_t inode,
                    std::uint64_t offset) {
  std::uint64_t at = range.base;
  const std::uint64_t end = range.base + range.length;
  while (!maps.empty() && at < end) {
    const std::size_t length = std::min(maps.find('\n'), maps.size());
    MapLine line;
    const bool parsed = parse(std::string(maps.substr(0, length)), line);
    maps.remove_prefix(std::min(length + 1, maps.size()));
    if (!parsed || line.end <= at) continue;
    if (line.begin > at || line.inode != inode || !line.shared_writable ||
        line.offset + (at - line.begin) != offset + (at - range.base))
      return false;
    at = line.end;
  }
  return at >= end;
}

bool make_private(const MemoryRange& pages, int file, std::uint64_t offset) {
  DATUM_ASSERT(pages.base % page_size_of(file) == 0 && pages.length % page_size_of(file) == 0);
  struct stat status {};
  if (::fstat(file, &status) != 0 ||
      !is_mapped_from(read_text_file("/proc/self/maps"), pages, status.st_ino, offset))
    return false;
  const auto length = static_cast<std::size_t>(pages.length);
  // The private mapping is made elsewhere and then moved into place. At the final address, an
  // mmap() that failed (huge pages) could leave a hole.
  void* copy = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
                      static_cast<off_t>(offset));
  if (copy == MAP_FAILED) return false;
  if (::mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, pointer_to(pages.base)) ==
      MAP_FAILED) {
    ::munmap(copy, length);
    return false;
  }
  force_copies(pages, page_size_of(file));
  return true;
}

} // namespace datum
