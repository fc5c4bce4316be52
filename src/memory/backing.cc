// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "backing.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace datum::memory {
namespace {

// These constants are newer than the C library's headers of the oldest system on which Datum is
// built.
constexpr unsigned kMfdNoexecSeal = 0x8;
constexpr unsigned kMfdHuge2Mb = 21u << 26;
constexpr int kMadvPopulateWrite = 23;
constexpr int kMadvCollapse = 25;

int create_memfd(PagePool pool) {
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  if (pool == PagePool::HugeTlb) flags |= MFD_HUGETLB | kMfdHuge2Mb;
  // Some hosts refuse memfds that could be executed; kernels before 6.3 do not know the flag.
  const int fd = memfd_create("datum-memory", flags | kMfdNoexecSeal);
  if (fd >= 0 || errno != EINVAL) return fd;
  return memfd_create("datum-memory", flags);
}

// A filter of system calls may refuse getrlimit(2). Then no limit is known, and none is assumed.
rlim_t limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// Low numbers are left to the program: scripts redirect 3..9 by number, and select() ends at 1023.
int move_out_of_the_way(int fd) {
  const rlim_t limit = limit_of(RLIMIT_NOFILE);
  const int floor = limit > 2048 ? 1024 : static_cast<int>(limit / 2);
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, floor);
  if (high < 0) return fd;
  close(fd);
  return high;
}

void* map_at(void* address, std::size_t length, int fd) {
  void* got =
      mmap(address, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
  if (got == MAP_FAILED || got == address) return got;
  munmap(got, length); // an old kernel has taken the address for a hint
  errno = EEXIST;
  return MAP_FAILED;
}

void* reserve(std::size_t length) {
  return mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// Asks where the kernel would put a mapping of this length, and tries the chunk boundaries below.
void* map_below_others(std::size_t length, int fd) {
  constexpr int kAttempts = 8;
  void* anywhere = reserve(length);
  if (anywhere == MAP_FAILED) return MAP_FAILED;
  munmap(anywhere, length);
  auto address = reinterpret_cast<std::uintptr_t>(anywhere) & ~(kChunkSize - 1);
  for (int attempt = 0; attempt < kAttempts && address > kChunkSize; ++attempt) {
    void* got = map_at(reinterpret_cast<void*>(address), length, fd);
    if (got != MAP_FAILED || errno != EEXIST) return got;
    address -= kChunkSize;
  }
  return MAP_FAILED;
}

// Reserves one chunk more than `length`, uses the aligned part, and cuts off the rest.
void* map_inside_reservation(std::size_t length, int fd) {
  void* reserved = reserve(length + kChunkSize);
  if (reserved == MAP_FAILED) return MAP_FAILED;
  const auto begin = reinterpret_cast<std::uintptr_t>(reserved);
  const std::uintptr_t aligned = round_up(begin, kChunkSize);
  void* got = mmap(reinterpret_cast<void*>(aligned), length, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, fd, 0);
  if (got == MAP_FAILED) {
    const int error = errno;
    munmap(reserved, length + kChunkSize);
    errno = error;
    return MAP_FAILED;
  }
  if (aligned != begin) munmap(reserved, aligned - begin);
  munmap(static_cast<std::byte*>(got) + length, begin + kChunkSize - aligned);
  return got;
}

// map_inside_reservation() always finds a place, but it takes address space that RLIMIT_AS may not
// grant.
void* map_aligned(std::size_t length, int fd) {
  void* got = map_below_others(length, fd);
  return got == MAP_FAILED && errno == EEXIST ? map_inside_reservation(length, fd) : got;
}

bool kernel_allows_shmem_huge_pages() {
  const int fd = open("/sys/kernel/mm/transparent_hugepage/shmem_enabled", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[128] = {};
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  return got > 0 && std::strstr(text, "[never]") == nullptr &&
         std::strstr(text, "[deny]") == nullptr;
}

} // namespace

int open_sealed_memfd(std::size_t length, PagePool pool) {
  if (length > longest_file()) return -EFBIG;
  int fd = create_memfd(pool);
  if (fd < 0) return -errno;
  fd = move_out_of_the_way(fd);
  if (ftruncate(fd, static_cast<off_t>(length)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    return fd;
  const int error = errno;
  close(fd);
  return -error;
}

int map_new_file(std::size_t length, PagePool pool, ArenaInfo& out) {
  const int fd = open_sealed_memfd(length, pool);
  if (fd < 0) return -fd;
  void* base = map_aligned(length, fd);
  if (base == MAP_FAILED) {
    const int error = errno;
    close(fd);
    return error;
  }
  out = ArenaInfo{};
  out.base = reinterpret_cast<std::uintptr_t>(base);
  out.length = length;
  identify(fd, out);
  if (pool == PagePool::HugeTlb) out.pages = DATUM_MEMORY_PAGES_HUGETLB;
  return 0;
}

void identify(int fd, ArenaInfo& info) {
  struct stat status {};
  fstat(fd, &status);
  info.fd = fd;
  info.device = status.st_dev;
  info.inode = status.st_ino;
}

bool owns_descriptor(const ArenaInfo& info) {
  struct stat status {};
  return info.fd >= 0 && fstat(info.fd, &status) == 0 && status.st_dev == info.device &&
         status.st_ino == info.inode;
}

void unmap(const ArenaInfo& info) {
  munmap(reinterpret_cast<void*>(info.base), info.length);
  if (owns_descriptor(info)) close(info.fd);
}

void advise_huge_pages(const ArenaInfo& info) {
  madvise(reinterpret_cast<void*>(info.base), info.length, MADV_HUGEPAGE);
}

datum_memory_pages collapse_to_huge_pages(const ArenaInfo& info) {
  // MADV_COLLAPSE succeeds only if every part of the range is on a huge page now. It fails for
  // pages that are not present yet. Kernels before 6.1 do not know it.
  if (madvise(reinterpret_cast<void*>(info.base), info.length, kMadvCollapse) == 0)
    return DATUM_MEMORY_PAGES_TRANSPARENT;
  return kernel_allows_shmem_huge_pages() ? DATUM_MEMORY_PAGES_ADVISED : DATUM_MEMORY_PAGES_BASE;
}

std::size_t longest_file() {
  const rlim_t limit = limit_of(RLIMIT_FSIZE);
  return limit == RLIM_INFINITY ? SIZE_MAX : limit;
}

bool discard(void* address, std::size_t length) {
  return madvise(address, length, MADV_REMOVE) == 0;
}

bool populate(void* address, std::size_t length) {
  // Kernels before 5.14 do not know MADV_POPULATE_WRITE. On such a kernel each page is made at its
  // first access.
  return madvise(address, length, kMadvPopulateWrite) == 0 || errno == EINVAL;
}

} // namespace datum::memory
