// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shortage.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace datum::test {

namespace {

std::atomic<Resource> wanted{Resource::kNone};
std::atomic<std::int64_t> left{0};
std::atomic<bool> lasting_shortage{false};
std::atomic<bool> has_failed{false};
std::atomic<std::int64_t> blocks{0};

bool fails(Resource resource) {
  if (wanted.load(std::memory_order_relaxed) != resource) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 1 || (before < 1 && !lasting_shortage)) return false;
  has_failed = true;
  return true;
}

// The C library's own function of that name.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* counted(void* block) {
  if (block != nullptr) blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

} // namespace

void fail_call(Resource resource, std::uint32_t number, Lasting lasting) {
  has_failed = false;
  left = number;
  lasting_shortage = lasting == Lasting::kFromThenOn;
  wanted = resource;
}

bool end_shortage() {
  wanted = Resource::kNone;
  return has_failed;
}

std::int64_t live_blocks() {
  return blocks;
}

namespace {

bool out_of_memory() {
  if (!fails(Resource::kMemory)) return false;
  errno = ENOMEM;
  return true;
}

bool out_of_descriptors() {
  if (!fails(Resource::kDescriptors)) return false;
  errno = EMFILE;
  return true;
}

bool out_of(Resource resource, int error) {
  if (!fails(resource)) return false;
  errno = error;
  return true;
}

} // namespace

} // namespace datum::test

using datum::test::counted;
using datum::test::fails;
using datum::test::next;
using datum::test::out_of;
using datum::test::out_of_descriptors;
using datum::test::out_of_memory;
using datum::test::Resource;

#define DATUM_IN_FRONT extern "C" __attribute__((visibility("default")))

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

DATUM_IN_FRONT void* malloc(std::size_t size) {
  return out_of_memory() ? nullptr : counted(__libc_malloc(size));
}

DATUM_IN_FRONT void* calloc(std::size_t count, std::size_t size) {
  return out_of_memory() ? nullptr : counted(__libc_calloc(count, size));
}

DATUM_IN_FRONT void* realloc(void* block, std::size_t size) {
  if (out_of_memory()) return nullptr;
  void* moved = __libc_realloc(block, size);
  return block == nullptr ? counted(moved) : moved;
}

DATUM_IN_FRONT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return out_of_memory() ? nullptr : counted(__libc_memalign(alignment, size));
}

DATUM_IN_FRONT int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  if (out_of_memory()) return ENOMEM;
  *block = counted(__libc_memalign(alignment, size));
  return *block == nullptr ? ENOMEM : 0;
}

DATUM_IN_FRONT void free(void* block) {
  if (block != nullptr) datum::test::blocks.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(block);
}

DATUM_IN_FRONT int socket(int domain, int type, int protocol) {
  static auto* const real = next<decltype(socket)>("socket");
  return out_of_descriptors() ? -1 : real(domain, type, protocol);
}

DATUM_IN_FRONT int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  static auto* const real = next<decltype(accept4)>("accept4");
  return out_of_descriptors() ? -1 : real(fd, address, length, flags);
}

DATUM_IN_FRONT int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return out_of_descriptors() ? -1 : real(path, flags, mode);
}

DATUM_IN_FRONT FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen");
  return out_of_descriptors() ? nullptr : real(path, mode);
}

DATUM_IN_FRONT DIR* opendir(const char* path) {
  static auto* const real = next<DIR*(const char*)>("opendir");
  return out_of_descriptors() ? nullptr : real(path);
}

DATUM_IN_FRONT int eventfd(unsigned count, int flags) {
  static auto* const real = next<int(unsigned, int)>("eventfd");
  return out_of_descriptors() ? -1 : real(count, flags);
}

DATUM_IN_FRONT int epoll_create1(int flags) {
  static auto* const real = next<decltype(epoll_create1)>("epoll_create1");
  return out_of_descriptors() ? -1 : real(flags);
}

DATUM_IN_FRONT int memfd_create(const char* name, unsigned flags) {
  static auto* const real = next<int(const char*, unsigned)>("memfd_create");
  return out_of_descriptors() ? -1 : real(name, flags);
}

// Descriptors without a function of their own; everything else goes through.
DATUM_IN_FRONT long syscall(long number, ...) {
  static auto* const real = next<long(long, ...)>("syscall");
  va_list more;
  va_start(more, number);
  long words[6];
  for (long& word : words) word = va_arg(more, long);
  va_end(more);
  if (number == SYS_pidfd_open && out_of_descriptors()) return -1;
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

DATUM_IN_FRONT void* mmap(void* place, std::size_t size, int protection, int flags, int fd,
                          off_t offset) {
  static auto* const real = next<decltype(mmap)>("mmap");
  if (!fails(Resource::kMappings)) return real(place, size, protection, flags, fd, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

DATUM_IN_FRONT int ftruncate(int fd, off_t size) {
  static auto* const real = next<decltype(ftruncate)>("ftruncate");
  if (!fails(Resource::kFileSpace)) return real(fd, size);
  errno = ENOSPC;
  return -1;
}

DATUM_IN_FRONT int epoll_ctl(int epoll, int what, int fd, epoll_event* event) {
  static auto* const real = next<decltype(epoll_ctl)>("epoll_ctl");
  if (what != EPOLL_CTL_ADD || !fails(Resource::kWatches)) return real(epoll, what, fd, event);
  errno = ENOSPC;
  return -1;
}

DATUM_IN_FRONT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                  void* (*body)(void*), void* argument) {
  static auto* const real = next<decltype(pthread_create)>("pthread_create");
  return fails(Resource::kThreads) ? EAGAIN : real(thread, attributes, body, argument);
}

DATUM_IN_FRONT int bind(int fd, const sockaddr* address, socklen_t length) {
  static auto* const real = next<decltype(bind)>("bind");
  return out_of(Resource::kSockets, ENOBUFS) ? -1 : real(fd, address, length);
}

DATUM_IN_FRONT int listen(int fd, int backlog) {
  static auto* const real = next<int(int, int)>("listen");
  return out_of(Resource::kSockets, ENOBUFS) ? -1 : real(fd, backlog);
}

DATUM_IN_FRONT int connect(int fd, const sockaddr* address, socklen_t length) {
  static auto* const real = next<decltype(connect)>("connect");
  return out_of(Resource::kSockets, ENOBUFS) ? -1 : real(fd, address, length);
}

DATUM_IN_FRONT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static auto* const real = next<decltype(sendmsg)>("sendmsg");
  return out_of(Resource::kSockets, ENOBUFS) ? -1 : real(fd, message, flags);
}

// Every command that Datum gives takes a word, or nothing. Sealing, by which a peer is known to
// live, takes no memory.
DATUM_IN_FRONT int fcntl(int fd, int command, ...) {
  static auto* const real = next<int(int, int, ...)>("fcntl");
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  const bool lacks = command != F_ADD_SEALS && out_of(Resource::kFiles, ENOMEM);
  return lacks ? -1 : real(fd, command, argument);
}

DATUM_IN_FRONT int fstat(int fd, struct stat* found) {
  static auto* const real = next<int(int, struct stat*)>("fstat");
  return out_of(Resource::kFiles, ENOMEM) ? -1 : real(fd, found);
}

DATUM_IN_FRONT ssize_t pread(int fd, void* into, std::size_t size, off_t offset) {
  static auto* const real = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return out_of(Resource::kFiles, ENOMEM) ? -1 : real(fd, into, size, offset);
}

DATUM_IN_FRONT int mprotect(void* place, std::size_t size, int protection) noexcept {
  static auto* const real = next<int(void*, std::size_t, int)>("mprotect");
  return out_of(Resource::kFiles, ENOMEM) ? -1 : real(place, size, protection);
}
