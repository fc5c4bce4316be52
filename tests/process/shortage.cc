// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shortage.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace datum::test {

namespace {

std::atomic<Resource> wanted{Resource::kNone};
std::atomic<std::int64_t> left{0};
std::atomic<bool> lasting_shortage{false};
std::atomic<bool> has_failed{false};
std::atomic<std::int64_t> blocks{0};
std::atomic<std::int64_t> mappings{0};

std::atomic<std::int64_t>& asked_for(Resource resource) {
  static std::atomic<std::int64_t> counts[kResources];
  return counts[static_cast<int>(resource)];
}

// The name of each called function once, in the order of the first calls.
std::array<std::atomic<const char*>, 128> called{};
std::atomic<bool> watching{false};

void remember(const char* call) {
  if (!watching.load(std::memory_order_relaxed)) return;
  for (std::atomic<const char*>& place : called) {
    const char* there = nullptr;
    if (place.compare_exchange_strong(there, call) || there == call) return;
  }
}

// `call` is the name of the calling function, unless it is given.
bool fails(Resource resource, const char* call = __builtin_FUNCTION()) {
  remember(call);
  asked_for(resource).fetch_add(1, std::memory_order_relaxed);
  if (wanted.load(std::memory_order_relaxed) != resource) return false;
  const std::int64_t before = left.fetch_sub(1);
  if (before > 1 || (before < 1 && !lasting_shortage)) return false;
  has_failed = true;
  return true;
}

// The function of that name in the C library.
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
  for (int each = 0; each < kResources; ++each) asked_for(static_cast<Resource>(each)) = 0;
  has_failed = false;
  left = number;
  lasting_shortage = lasting == Lasting::kFromThenOn;
  watching = true;
  wanted = resource;
}

bool end_shortage() {
  wanted = Resource::kNone;
  watching = false;
  return has_failed;
}

std::int64_t calls_for(Resource resource) {
  return asked_for(resource);
}

bool was_called(const char* name) {
  return std::any_of(called.begin(), called.end(), [name](const std::atomic<const char*>& place) {
    const char* const there = place;
    return there != nullptr && std::strcmp(there, name) == 0;
  });
}

std::int64_t live_blocks() {
  return blocks;
}

std::int64_t live_mappings() {
  return mappings;
}

namespace {

bool out_of_memory(const char* call = __builtin_FUNCTION()) {
  if (!fails(Resource::kMemory, call)) return false;
  errno = ENOMEM;
  return true;
}

bool out_of_descriptors(const char* call = __builtin_FUNCTION()) {
  if (!fails(Resource::kDescriptors, call)) return false;
  errno = EMFILE;
  return true;
}

bool out_of(Resource resource, int error, const char* call = __builtin_FUNCTION()) {
  if (!fails(resource, call)) return false;
  errno = error;
  return true;
}

bool is_forbidden(const char* call = __builtin_FUNCTION()) {
  return out_of(Resource::kPermission, EPERM, call);
}

} // namespace

} // namespace datum::test

using datum::test::counted;
using datum::test::fails;
using datum::test::is_forbidden;
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

// Makes those system calls fail that have no function of their own. All others go through.
DATUM_IN_FRONT long syscall(long number, ...) {
  static auto* const real = next<long(long, ...)>("syscall");
  va_list more;
  va_start(more, number);
  long words[6];
  for (long& word : words) word = va_arg(more, long);
  va_end(more);
  if (number == SYS_pidfd_open && out_of_descriptors("pidfd_open")) return -1;
  if (number == SYS_membarrier && out_of(Resource::kPeers, ENOMEM, "membarrier")) return -1;
  if (number == SYS_pread64 && out_of(Resource::kFiles, ENOMEM, "pread")) return -1;
  if (number == SYS_pwrite64 && out_of(Resource::kPeers, ENOMEM, "pwrite")) return -1;
#ifdef SYS_epoll_pwait2
  if (number == SYS_epoll_pwait2 && is_forbidden("epoll_pwait2")) return -1;
#endif
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

DATUM_IN_FRONT void* mmap(void* place, std::size_t size, int protection, int flags, int fd,
                          off_t offset) {
  static auto* const real = next<decltype(mmap)>("mmap");
  if (out_of(Resource::kMappings, ENOMEM)) return MAP_FAILED;
  void* const mapped = real(place, size, protection, flags, fd, offset);
  if (mapped != MAP_FAILED) datum::test::mappings.fetch_add(1, std::memory_order_relaxed);
  return mapped;
}

DATUM_IN_FRONT int munmap(void* place, std::size_t size) {
  static auto* const real = next<int(void*, std::size_t)>("munmap");
  datum::test::mappings.fetch_sub(1, std::memory_order_relaxed);
  return real(place, size);
}

DATUM_IN_FRONT void* mremap(void* place, std::size_t size, std::size_t wanted, int flags, ...) {
  static auto* const real = next<void*(void*, std::size_t, std::size_t, int, ...)>("mremap");
  va_list more;
  va_start(more, flags);
  void* const there = va_arg(more, void*);
  va_end(more);
  return out_of(Resource::kMappings, ENOMEM) ? MAP_FAILED : real(place, size, wanted, flags, there);
}

DATUM_IN_FRONT int ftruncate(int fd, off_t size) {
  static auto* const real = next<decltype(ftruncate)>("ftruncate");
  if (!fails(Resource::kFileSpace)) return real(fd, size);
  errno = ENOSPC;
  return -1;
}

// Only EPOLL_CTL_ADD needs memory: EPOLL_CTL_MOD and EPOLL_CTL_DEL use an entry that is there.
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

DATUM_IN_FRONT ssize_t send(int fd, const void* from, std::size_t size, int flags) {
  static auto* const real = next<decltype(send)>("send");
  return out_of(Resource::kTraffic, ENOBUFS) ? -1 : real(fd, from, size, flags);
}

DATUM_IN_FRONT ssize_t recv(int fd, void* into, std::size_t size, int flags) {
  static auto* const real = next<decltype(recv)>("recv");
  return out_of(Resource::kTraffic, ENOMEM) ? -1 : real(fd, into, size, flags);
}

DATUM_IN_FRONT ssize_t readv(int fd, const iovec* pieces, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("readv");
  return out_of(Resource::kTraffic, ENOMEM) ? -1 : real(fd, pieces, count);
}

// unix(7): if a descriptor of the message gets no number, the kernel closes it and sets MSG_CTRUNC.
DATUM_IN_FRONT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  static auto* const real = next<decltype(recvmsg)>("recvmsg");
  if (out_of(Resource::kTraffic, ENOMEM)) return -1;
  const ssize_t got = real(fd, message, flags);
  if (got < 0 || message->msg_controllen == 0) return got;
  const cmsghdr* const part = CMSG_FIRSTHDR(message);
  if (part->cmsg_type != SCM_RIGHTS || !fails(Resource::kDescriptors)) return got;
  const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int passed = -1;
    std::memcpy(&passed, CMSG_DATA(part) + i * sizeof passed, sizeof passed);
    close(passed);
  }
  message->msg_controllen = 0;
  message->msg_flags |= MSG_CTRUNC;
  return got;
}

DATUM_IN_FRONT int setsockopt(int fd, int level, int name, const void* value, socklen_t size) {
  static auto* const real = next<decltype(setsockopt)>("setsockopt");
  return out_of(Resource::kOptions, ENOMEM) ? -1 : real(fd, level, name, value, size);
}

DATUM_IN_FRONT int getsockopt(int fd, int level, int name, void* value, socklen_t* size) {
  static auto* const real = next<decltype(getsockopt)>("getsockopt");
  return out_of(Resource::kOptions, ENOBUFS) ? -1 : real(fd, level, name, value, size);
}

DATUM_IN_FRONT int getsockname(int fd, sockaddr* address, socklen_t* size) {
  static auto* const real = next<decltype(getsockname)>("getsockname");
  return out_of(Resource::kOptions, ENOBUFS) ? -1 : real(fd, address, size);
}

DATUM_IN_FRONT int getpeername(int fd, sockaddr* address, socklen_t* size) {
  static auto* const real = next<decltype(getpeername)>("getpeername");
  return out_of(Resource::kOptions, ENOBUFS) ? -1 : real(fd, address, size);
}

DATUM_IN_FRONT int timerfd_create(int clock, int flags) {
  static auto* const real = next<int(int, int)>("timerfd_create");
  return out_of_descriptors() ? -1 : real(clock, flags);
}

DATUM_IN_FRONT int dup3(int from, int to, int flags) {
  static auto* const real = next<int(int, int, int)>("dup3");
  return out_of_descriptors() ? -1 : real(from, to, flags);
}

DATUM_IN_FRONT int getifaddrs(ifaddrs** list) {
  static auto* const real = next<int(ifaddrs**)>("getifaddrs");
  return out_of_descriptors() ? -1 : real(list);
}

DATUM_IN_FRONT int fstatfs(int fd, struct statfs* found) {
  static auto* const real = next<int(int, struct statfs*)>("fstatfs");
  return out_of(Resource::kProc, ENOMEM) ? -1 : real(fd, found);
}

DATUM_IN_FRONT int stat(const char* path, struct stat* found) {
  static auto* const real = next<int(const char*, struct stat*)>("stat");
  return out_of(Resource::kProc, ENOMEM) ? -1 : real(path, found);
}

DATUM_IN_FRONT int access(const char* path, int mode) {
  static auto* const real = next<int(const char*, int)>("access");
  return out_of(Resource::kProc, ENOMEM) ? -1 : real(path, mode);
}

DATUM_IN_FRONT int ioctl(int fd, unsigned long what, ...) {
  static auto* const real = next<int(int, unsigned long, ...)>("ioctl");
  va_list more;
  va_start(more, what);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return out_of(Resource::kProc, ENOMEM) ? -1 : real(fd, what, argument);
}

DATUM_IN_FRONT int madvise(void* place, std::size_t size, int advice) {
  static auto* const real = next<int(void*, std::size_t, int)>("madvise");
  return out_of(Resource::kProc, ENOMEM) ? -1 : real(place, size, advice);
}

// A read of an eventfd, a timerfd or a device needs no memory. A read of a file may.
DATUM_IN_FRONT ssize_t read(int fd, void* into, std::size_t size) {
  static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
  static auto* const look = next<int(int, struct stat*)>("fstat");
  struct stat what {};
  const bool file = look(fd, &what) == 0 && S_ISREG(what.st_mode);
  return file && out_of(Resource::kProc, ENOMEM) ? -1 : real(fd, into, size);
}

// For one descriptor the kernel keeps its state on the stack.
DATUM_IN_FRONT int poll(pollfd* watched, nfds_t count, int timeout) {
  static auto* const real = next<int(pollfd*, nfds_t, int)>("poll");
  return count > 1 && out_of(Resource::kWaits, ENOMEM) ? -1 : real(watched, count, timeout);
}

DATUM_IN_FRONT int ppoll(pollfd* watched, nfds_t count, const timespec* limit,
                         const sigset_t* signals) {
  static auto* const real = next<decltype(ppoll)>("ppoll");
  return out_of(Resource::kWaits, ENOMEM) ? -1 : real(watched, count, limit, signals);
}

DATUM_IN_FRONT ssize_t process_vm_readv(pid_t pid, const iovec* into, unsigned long into_count,
                                        const iovec* from, unsigned long from_count,
                                        unsigned long flags) {
  static auto* const real = next<decltype(process_vm_readv)>("process_vm_readv");
  if (out_of(Resource::kPeers, ENOMEM)) return -1;
  return real(pid, into, into_count, from, from_count, flags);
}

DATUM_IN_FRONT ssize_t process_vm_writev(pid_t pid, const iovec* from, unsigned long from_count,
                                         const iovec* into, unsigned long into_count,
                                         unsigned long flags) {
  static auto* const real = next<decltype(process_vm_writev)>("process_vm_writev");
  if (out_of(Resource::kPeers, ENOMEM)) return -1;
  return real(pid, from, from_count, into, into_count, flags);
}

// Each command that Datum uses takes one word or none. F_ADD_SEALS needs no memory, and Datum takes
// a success of it as a sign that the peer lives. So it never fails here.
DATUM_IN_FRONT int fcntl(int fd, int command, ...) {
  static auto* const real = next<int(int, int, ...)>("fcntl");
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  const bool lacks = command == F_DUPFD_CLOEXEC
                         ? out_of_descriptors()
                         : command != F_ADD_SEALS && out_of(Resource::kFiles, ENOMEM);
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

// Under a sanitizer Datum writes to a peer's memory by pwrite() (base/cancellation.cc).
DATUM_IN_FRONT ssize_t pwrite(int fd, const void* from, std::size_t size, off_t offset) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return out_of(Resource::kPeers, ENOMEM) ? -1 : real(fd, from, size, offset);
}

// Wake-ups and lines of the log take no file space.
DATUM_IN_FRONT ssize_t write(int fd, const void* from, std::size_t size) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  static auto* const look = next<int(int, struct stat*)>("fstat");
  struct stat what {};
  const bool file = fd != STDERR_FILENO && look(fd, &what) == 0 && S_ISREG(what.st_mode);
  return file && out_of(Resource::kFileSpace, ENOSPC) ? -1 : real(fd, from, size);
}

DATUM_IN_FRONT int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  static auto* const real = next<int(int, epoll_event*, int, int)>("epoll_wait");
  return out_of(Resource::kLooks, EINTR) ? -1 : real(epoll, events, most, timeout);
}

// The C library's own calls of getrandom() do not come here.
DATUM_IN_FRONT ssize_t getrandom(void* into, std::size_t size, unsigned flags) {
  static auto* const real = next<ssize_t(void*, std::size_t, unsigned)>("getrandom");
  return is_forbidden() ? -1 : real(into, size, flags);
}

DATUM_IN_FRONT int prctl(int option, ...) {
  static auto* const real = next<int(int, ...)>("prctl");
  va_list more;
  va_start(more, option);
  unsigned long words[4];
  for (unsigned long& word : words) word = va_arg(more, unsigned long);
  va_end(more);
  return is_forbidden() ? -1 : real(option, words[0], words[1], words[2], words[3]);
}

// The error is EPERM, since ENOMEM would mean that the memory has a hole. Datum calls msync() only
// after madvise() has failed.
DATUM_IN_FRONT int msync(void* place, std::size_t size, int flags) {
  static auto* const real = next<int(void*, std::size_t, int)>("msync");
  return out_of(Resource::kProc, EPERM) ? -1 : real(place, size, flags);
}

DATUM_IN_FRONT int timerfd_settime(int timer, int flags, const itimerspec* when,
                                   itimerspec* before) {
  static auto* const real = next<decltype(timerfd_settime)>("timerfd_settime");
  return is_forbidden() ? -1 : real(timer, flags, when, before);
}

DATUM_IN_FRONT int sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* set) {
  static auto* const real = next<decltype(sched_getaffinity)>("sched_getaffinity");
  return is_forbidden() ? -1 : real(thread, size, set);
}

DATUM_IN_FRONT int getrlimit(__rlimit_resource_t resource, rlimit* limits) {
  static auto* const real = next<int(__rlimit_resource_t, rlimit*)>("getrlimit");
  return is_forbidden() ? -1 : real(resource, limits);
}

DATUM_IN_FRONT int pthread_setname_np(pthread_t thread, const char* name) {
  static auto* const real = next<int(pthread_t, const char*)>("pthread_setname_np");
  return is_forbidden() ? EPERM : real(thread, name);
}

DATUM_IN_FRONT int nanosleep(const timespec* span, timespec* left) {
  static auto* const real = next<int(const timespec*, timespec*)>("nanosleep");
  return is_forbidden() ? -1 : real(span, left);
}
