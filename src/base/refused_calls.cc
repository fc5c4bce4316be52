// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/refused_calls.h"

#include <fcntl.h>
#include <iterator>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/unique_fd.h"

namespace datum {
namespace {

constexpr int kNone = -1;
constexpr int kInvalidFlags = ~0; // no call accepts these flags; socket(2) has no such type

// Closes the descriptor that a call has made. False: the call failed. (An emulator of another
// processor may drop a flag that it does not know, and make a descriptor.)
bool close_if_made(int fd) {
  return static_cast<bool>(UniqueFd(fd));
}

// A filter may refuse socket(2) for some address families. Datum needs one of these three.
bool some_family_has_sockets() {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6})
    if (close_if_made(::socket(family, kInvalidFlags, 0)) || errno == EINVAL) return true;
  return false;
}

// The C library's headers may be older than clone3(2). Its number is the same on all architectures.
constexpr long kClone3 = 435;

// With arguments of size 0 the kernel makes no thread, and answers EINVAL. After ENOSYS, and after
// no other error, the C library calls clone(2) instead.
bool may_create_threads() {
  return ::syscall(kClone3, nullptr, std::size_t{0}) >= 0 || errno == EINVAL;
}

// CLONE_SIGHAND without CLONE_VM makes no thread: every kernel answers EINVAL. The flags are the
// first argument, on some architectures the second.
bool may_clone() {
  static_cast<void>(::syscall(SYS_clone, CLONE_SIGHAND, CLONE_SIGHAND, nullptr, nullptr, nullptr));
  return errno == EINVAL;
}

struct CheckedCall {
  const char* name;
  bool (*is_allowed)(); // false: refusal_of() judges by errno
};

// In the order of SystemCall.
constexpr CheckedCall kCheckedCalls[] = {
    {"accept4", [] { return ::accept4(kNone, nullptr, nullptr, SOCK_CLOEXEC) >= 0; }},
    {"bind",
     [] {
       const sockaddr nowhere{};
       return ::bind(kNone, &nowhere, 0) == 0; // a filter may refuse a family by its length
     }},
    {"clone", [] { return may_create_threads() || errno != ENOSYS || may_clone(); }},
    {"connect",
     [] {
       const sockaddr nowhere{};
       return ::connect(kNone, &nowhere, sizeof nowhere) == 0;
     }},
    {"epoll_ctl",
     [] {
       epoll_event nothing{};
       return ::epoll_ctl(kNone, EPOLL_CTL_ADD, kNone, &nothing) == 0;
     }},
    {"epoll_create1",
     [] { return close_if_made(::epoll_create1(kInvalidFlags)) || errno == EINVAL; }},
    {"eventfd2", [] { return close_if_made(::eventfd(0, kInvalidFlags)) || errno == EINVAL; }},
    {"fcntl", [] { return ::fcntl(kNone, F_GETFD) >= 0; }},
    {"ftruncate", [] { return ::ftruncate(kNone, 0) == 0; }},
    {"fstatfs",
     [] {
       struct statfs system {};
       return ::fstatfs(kNone, &system) == 0;
     }},
    {"getsockname",
     [] {
       sockaddr_storage name{};
       socklen_t length = sizeof name;
       return ::getsockname(kNone, reinterpret_cast<sockaddr*>(&name), &length) == 0;
     }},
    {"getsockopt",
     [] {
       int value = 0;
       socklen_t length = sizeof value;
       return ::getsockopt(kNone, SOL_SOCKET, SO_ERROR, &value, &length) == 0;
     }},
    {"listen", [] { return ::listen(kNone, 1) == 0; }},
    {"mmap",
     [] {
       constexpr std::size_t kPage = 4096;
       void* const mapped = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, kNone, 0);
       return mapped != MAP_FAILED;
     }},
    {"memfd_create", [] { return ::memfd_create(nullptr, MFD_CLOEXEC) >= 0; }},
    {"readv",
     [] {
       char byte = 0;
       const iovec piece{&byte, 1};
       return ::readv(kNone, &piece, 1) >= 0;
     }},
    {"recvfrom",
     [] {
       char byte = 0;
       return ::recv(kNone, &byte, 1, MSG_DONTWAIT) >= 0;
     }},
    {"recvmsg",
     [] {
       msghdr nothing{};
       return ::recvmsg(kNone, &nothing, MSG_DONTWAIT) >= 0;
     }},
    {"prlimit64",
     [] {
       rlimit limit{};
       return ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
     }},
    {"sendmsg",
     [] {
       const msghdr nothing{};
       return ::sendmsg(kNone, &nothing, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
     }},
    {"sendto",
     [] {
       const char byte = 0;
       return ::send(kNone, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
     }},
    {"setsockopt",
     [] {
       const int value = 0;
       return ::setsockopt(kNone, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof value) == 0;
     }},
    {"socket", some_family_has_sockets},
    {"clone3", [] { return may_create_threads() || errno == ENOSYS; }},
    {"timerfd_create",
     [] {
       return close_if_made(::timerfd_create(CLOCK_MONOTONIC, kInvalidFlags)) || errno == EINVAL;
     }},
};
static_assert(std::size(kCheckedCalls) == kSystemCalls);

const CheckedCall& checked_call(SystemCall call) {
  return kCheckedCalls[static_cast<std::size_t>(call)];
}

} // namespace

const char* name_of(SystemCall call) {
  return checked_call(call).name;
}

int refusal_of(SystemCall call) {
  const NotCancellable here;
  const int before = errno;
  const int found = checked_call(call).is_allowed() ? 0 : errno;
  errno = before;
  return found == EBADF || found == EFAULT || found == EINTR ? 0 : found;
}

} // namespace datum
