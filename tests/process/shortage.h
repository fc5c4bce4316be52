// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage.h: calls of the C library that fail when a test wants them to.
// Lives here: functions that replace malloc and those system calls of the C library that can run
//             out of something; which call fails; what is still allocated.
// Not here:   what must follow from a failure (shortage_test.cc).
// Threads:    any. The calls of all threads of the process count.
#pragma once

#include <cstdint>

namespace datum::test {

enum class Resource : std::uint8_t {
  kNone,
  kMemory,      // malloc and its relatives, operator new
  kDescriptors, // socket, accept4, open, eventfd, memfd_create, descriptors in a message, ...
  kMappings,    // mmap, mremap
  kFileSpace,   // ftruncate, writing to a file
  kWatches,     // epoll_ctl(EPOLL_CTL_ADD)
  kThreads,     // pthread_create
  kSockets,     // bind, listen, connect, sendmsg
  kFiles,       // fcntl, fstat, pread, mprotect
  kTraffic,     // calls on sockets that carry data: send, recv, recvmsg, readv
  kOptions,     // setsockopt, getsockopt, getsockname, getpeername
  kProc,        // reading a file, ioctl, fstatfs, madvise, msync
  kWaits,       // poll, ppoll
  kPeers,       // process_vm_readv, process_vm_writev, pwrite, membarrier
  kLooks,       // epoll_wait, which a signal interrupts
  kPermission,  // calls that only a filter of system calls makes fail: getrandom, prctl,
  // timerfd_settime, sched_getaffinity, epoll_pwait2, getrlimit, ...
};
inline constexpr int kResources = static_cast<int>(Resource::kPermission) + 1;

enum class Lasting : std::uint8_t { kOnce, kFromThenOn };

// Counts the calls for this resource from now on, and makes call number `number` fail (1: the next
// call). With kFromThenOn all later calls fail, too.
void fail_call(Resource resource, std::uint32_t number, Lasting lasting);
// Ends the shortage. Returns whether a call has failed since fail_call().
bool end_shortage();
// The number of calls that needed this resource since fail_call(), failed or not.
std::int64_t calls_for(Resource resource);
// Whether this call was made between a fail_call() and its end_shortage(). Only calls that can be
// made to fail are recorded.
bool was_called(const char* name);

// Blocks of memory that are allocated now, and mappings that exist now.
std::int64_t live_blocks();
std::int64_t live_mappings();

} // namespace datum::test
