// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/refused_calls.h: which system calls a filter of this process (seccomp) refuses.
// Lives here: the check. It makes each call with an invalid descriptor, type, flag or size, or
//             without a name. A kernel without a filter answers EBADF, EINVAL or EFAULT. A filter
//             answers before the kernel does.
// Not here:   what a security policy (SELinux, AppArmor, Landlock) refuses of a real socket or
//             file: the code that makes the call finds that. A filter that refuses socket(2) only
//             for some address families does not count. A refusal of Clone counts only where the C
//             library needs that call: where ThreadCreate (clone3) gives ENOSYS.
// Threads:    any. A filter may belong to one thread alone; the answer is that of the calling
//             thread.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace datum {

enum class SystemCall : std::uint8_t {
  Accept,
  Bind,
  Clone,
  Connect,
  EpollControl,
  EpollCreate,
  EventCreate,
  FileControl,
  FileLength,
  FileSystem,
  GetSocketName,
  GetSocketOption,
  Listen,
  MapShared,
  MemoryFile,
  ReadVector,
  ReceiveFrom,
  ReceiveMessage,
  ResourceLimit,
  SendMessage,
  SendTo,
  SetSocketOption,
  Socket,
  ThreadCreate,
  TimerCreate,
};
inline constexpr std::size_t kSystemCalls = static_cast<std::size_t>(SystemCall::TimerCreate) + 1;

// The name that filters use: "sendmsg".
const char* name_of(SystemCall call);
// 0, or the errno with which a filter refuses the call.
int refusal_of(SystemCall call);

// True: this errno means that a filter or a security policy refuses the call. It is useless to try
// the call again.
constexpr bool is_refusal_of_call(int error) {
  return error == EPERM || error == EACCES || error == ENOSYS;
}

// How log lines call what refuses.
inline constexpr const char* kSandbox = "a sandbox of this process (seccomp, SELinux, AppArmor)";

} // namespace datum
