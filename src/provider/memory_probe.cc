// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/memory_probe.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <datum/memory.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

namespace datum {
namespace {

// Since Linux 5.14; older headers lack these constants.
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;
constexpr int kNoAdvice = -1; // no kernel has this advice

// Up to this size, touching every page is cheaper than reading thousands of lines about mappings,
// and registered memory will be touched anyway. Beyond this size, touching would fill a sparse
// range in vain.
constexpr std::uint64_t kMostToTouch = std::uint64_t{4} << 20U;

constexpr Access kReads = kLocalRead | kRemoteRead;
constexpr Access kWrites = kLocalWrite | kRemoteWrite | kRemoteAtomic;

// True: this is an emulator (qemu-user), which accepts every advice, does nothing, and reports
// success.
bool takes_any_advice(void* first, std::uint64_t size) {
  return ::madvise(first, size, kNoAdvice) == 0;
}

// Makes the pages of the range present with the right that is needed. No: there is a hole. Nothing:
// the kernel does not know the call, or the right or memory is missing.
std::optional<Found> populate(std::uint64_t address, std::uint64_t length, Access access) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t start = address & ~(page - 1);
  const std::uint64_t size = (address + length - start + page - 1) & ~(page - 1);
  void* const first = reinterpret_cast<void*>(start);
  const int advice = (access & kWrites) != 0 ? kPopulateWrite : kPopulateRead;
  if (::madvise(first, size, advice) == 0)
    return takes_any_advice(first, size) ? std::nullopt : std::optional(Found::Yes);
  // ENOMEM means a hole or a lack of pages. msync(2) needs no pages, and fails only for a hole.
  const bool hole = errno == ENOMEM && ::msync(first, size, MS_ASYNC) != 0 && errno == ENOMEM;
  return hole ? std::optional(Found::No) : std::nullopt;
}

Found cannot_tell(std::uint64_t address, std::uint64_t length, int error) {
  rlimit limit{};
  const bool told = ::getrlimit(RLIMIT_NOFILE, &limit) == 0; // a filter may refuse it
  log(LogLevel::Warn,
      "memory at {:#x}, {} bytes: cannot be registered, for /proc/self/maps cannot be read: {}; "
      "this process may have {} open files (`ulimit -n`), and it has to see /proc",
      address, length, std::strerror(error),
      told ? text("{}", limit.rlim_cur) : "an unknown number of");
  return error == ENOMEM ? Found::LacksMemory : Found::LacksDevice;
}

// Calls `visit` for each mapping of the range, as long as `visit` returns true. No: `visit`
// returned false, or there is a hole.
template <class F>
Found every_mapping(Mappings& mappings, std::uint64_t address, std::uint64_t length, F&& visit) {
  const std::uint64_t end = address + length;
  ProcessMapping mapping;
  for (std::uint64_t at = address; at < end; at = mapping.end) {
    const bool found = mappings.find(at, mapping);
    if (mappings.error() != 0) return cannot_tell(address, length, mappings.error());
    if (!found || !visit(mapping)) return Found::No;
  }
  return Found::Yes;
}

// Bit 61 of an entry in /proc/self/pagemap: the page belongs to a file or is shared. False: no file
// is behind the page, and there is no need for a search, which costs far more.
bool may_have_file(std::uint64_t address) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const int fd = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  std::uint64_t entry = 0;
  const ssize_t got =
      ::pread(fd, &entry, sizeof entry, static_cast<off_t>(address / page * sizeof entry));
  ::close(fd);
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63U;
  constexpr std::uint64_t kFileOrShared = std::uint64_t{1} << 61U;
  return got != sizeof entry || (entry & kPresent) == 0 || (entry & kFileOrShared) != 0;
}

// Asks the allocator (libdatum.so.1 or libdatum-malloc.so), if the program has loaded it.
bool allocator_backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
                       std::uint64_t& offset) {
  const auto lookup = reinterpret_cast<decltype(&datum_memory_lookup)>(
      reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "datum_memory_lookup")));
  if (lookup == nullptr) return false;
  datum_memory_backing backing{};
  if (lookup(reinterpret_cast<const void*>(address), length, &backing) != 0) return false;
  // If the file shrank, SIGBUS would end a peer that has mapped it.
  if ((backing.flags & DATUM_MEMORY_SEALED) == 0) return false;
  fd = backing.fd;
  offset = backing.offset;
  return true;
}

bool cannot_shrink(int fd) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

// A descriptor of this process for the file, if a seal keeps the file from shrinking; -1: none.
int find_descriptor(dev_t device, std::uint64_t inode) {
  DIR* directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return -1;
  int found = -1;
  while (found < 0) {
    const dirent* entry = ::readdir(directory);
    if (entry == nullptr) break;
    int fd = -1;
    const char* name = entry->d_name;
    const auto parsed = std::from_chars(name, name + std::strlen(name), fd);
    struct stat status {};
    if (parsed.ec != std::errc{} || ::fstat(fd, &status) != 0) continue;
    if (status.st_dev == device && status.st_ino == inode && cannot_shrink(fd)) found = fd;
  }
  ::closedir(directory);
  return found;
}

bool file_holds(int fd, std::uint64_t end) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= end;
}

} // namespace

KernelMemoryProbe::~KernelMemoryProbe() {
  for (const auto& [file, fd] : descriptors_) ::close(fd);
}

Found KernelMemoryProbe::usable(std::uint64_t address, std::uint64_t length, Access access) {
  Mappings mappings(method_);
  const bool cheap = mappings.valid() && mappings.method() == Mappings::Method::Query;
  if (!cheap && (length <= kMostToTouch || !mappings.valid()))
    if (const std::optional<Found> answer = populate(address, length, access)) return *answer;
  return every_mapping(mappings, address, length, [access](const ProcessMapping& mapping) {
    return ((access & kReads) == 0 || mapping.readable) &&
           ((access & kWrites) == 0 || mapping.writable);
  });
}

Found KernelMemoryProbe::shared(std::uint64_t address, std::uint64_t length) {
  Mappings mappings(method_);
  return every_mapping(mappings, address, length,
                       [](const ProcessMapping& mapping) { return mapping.shared; });
}

bool KernelMemoryProbe::backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
                                std::uint64_t& offset) {
  if (allocator_backing(address, length, fd, offset)) return true;
  Mappings mappings(method_);
  if (mappings.method() == Mappings::Method::Text && !may_have_file(address)) return false;
  ProcessMapping mapping;
  if (!mappings.find(address, mapping) || !mapping.shared || mapping.inode == 0 ||
      length > mapping.end - address)
    return false;
  const int found = descriptor_of({mapping.device, mapping.inode});
  const std::uint64_t at = mapping.offset + (address - mapping.start);
  if (found < 0 || !file_holds(found, at + length)) return false;
  fd = found;
  offset = at;
  return true;
}

int KernelMemoryProbe::descriptor_of(const FileId& file) {
  if (const auto known = descriptors_.find(file); known != descriptors_.end()) return known->second;
  const int found = find_descriptor(file.first, file.second);
  if (found < 0) return -1;
  const int own = ::fcntl(found, F_DUPFD_CLOEXEC, 0);
  if (own >= 0) descriptors_.emplace(file, own);
  return own;
}

} // namespace datum
