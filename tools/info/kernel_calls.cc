// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/kernel_calls.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <linux/membarrier.h>
#include <linux/netlink.h>
#include <optional>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "base/refused_calls.h"
#include "base/unique_fd.h"

namespace datum::info {
namespace {

// The numbers are the same on every architecture; the C library's headers may be older than the
// calls.
constexpr long kPidfdOpen = 434, kOpenat2 = 437, kEpollPwait2 = 441;

using Version = std::pair<unsigned, unsigned>; // major, minor

std::optional<Version> version_in(const std::string& text) {
  Version version;
  if (std::sscanf(text.c_str(), "%u.%u", &version.first, &version.second) != 2) return std::nullopt;
  return version;
}

Absence absence_of(int error, const char* since, const std::string& release) {
  if (error == EPERM || error == EACCES) return Absence::Refused;
  const std::optional<Version> here = version_in(release);
  return here && *here < version_in(since) ? Absence::Lacking : Absence::RefusedOrLacking;
}

// Each function returns the error with which the call is missing, or 0.

// The callers pass arguments for which a kernel that has the call returns another error.
int refusal_in(long result) {
  return result < 0 && is_refusal_of_call(errno) ? errno : 0;
}

int pidfd_refusal() {
  const long fd = syscall(kPidfdOpen, getpid(), 0);
  const int error = refusal_in(fd);
  const UniqueFd closed(static_cast<int>(fd));
  return error;
}

// EINVAL is the error of a kernel without this command, and of a kernel whose processors must not
// be interrupted.
int membarrier_refusal() {
  const bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return done || errno == ENOMEM ? 0 : errno;
}

// A kernel without this netlink family, a filter and an emulator return different errors, so any
// error counts. A shortage does not count, because it may pass.
int diagnostics_refusal() {
  const UniqueFd asked(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  const bool passes = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
  return asked || passes ? 0 : errno;
}

// The range has no octets, so nothing is changed.
int madvise_refusal() {
  return madvise(nullptr, 0, MADV_DONTFORK) == 0 ? 0 : errno;
}

constexpr const char* kNoAdapter = "no adapter opens";
constexpr const char* kTcpAlone = "connections go over TCP alone";
constexpr const char* kNoServicePoint = "no service point is made";

struct Consequence {
  const char* then;
  const char* since = nullptr; // of a call that Datum can do without: the first Linux that has it
};

// The rows of the table in datum(7), SANDBOXES.
Consequence consequence_of(SystemCall call) {
  switch (call) {
  case SystemCall::Clone:
  case SystemCall::EpollControl:
  case SystemCall::EpollCreate:
  case SystemCall::EventCreate:
  case SystemCall::MapShared:
  case SystemCall::Socket:
  case SystemCall::ThreadCreate:
  case SystemCall::TimerCreate: return {kNoAdapter};
  case SystemCall::FileControl:
  case SystemCall::FileLength:
  case SystemCall::FileSystem:
  case SystemCall::GetSocketOption:
  case SystemCall::MemoryFile:
  case SystemCall::ReceiveFrom:
  case SystemCall::ReceiveMessage:
  case SystemCall::SendMessage:
  case SystemCall::SendTo: return {kTcpAlone};
  case SystemCall::Connect: return {"no connect is made from here"};
  case SystemCall::Bind:
  case SystemCall::Listen: return {kNoServicePoint};
  case SystemCall::Accept: return {"a service point answers no peer"};
  case SystemCall::SetSocketOption:
    return {"over TCP more delay, and a host that vanishes may not be noticed"};
  case SystemCall::GetSocketName:
    return {"a port that the kernel has to choose is not known", "2.0"};
  case SystemCall::ReadVector: return {"over TCP long messages take more system calls", "2.0"};
  case SystemCall::ResourceLimit: return {"the limits of this process are unknown", "2.6.36"};
  }
  return {"Datum may not work"};
}

// Calls refused(call, error, consequence) for each call that a filter refuses.
template <class F>
void for_each_refused(const F& refused) {
  for (std::size_t i = 0; i < kSystemCalls; ++i) {
    const auto call = static_cast<SystemCall>(i);
    if (const int error = refusal_of(call); error != 0) refused(call, error, consequence_of(call));
  }
}

} // namespace

std::vector<KernelCall> missing_kernel_calls(const std::string& release) {
  std::vector<KernelCall> missing;
  const auto check = [&](int error, const char* name, const char* since, const char* instead) {
    if (error != 0)
      missing.push_back({name, since, instead, absence_of(error, since, release), error});
  };
  check(madvise_refusal(), "madvise", "2.6.16",
        "large transfers within the host take two copies instead of one");
  check(diagnostics_refusal(), "NETLINK_SOCK_DIAG", "3.3",
        "/proc/net/tcp tells whose a port is, and nothing tells whose a full queue is");
  check(membarrier_refusal(), "membarrier", "4.14", "each call of DAT takes somewhat longer");
  check(pidfd_refusal(), "pidfd_open", "5.3",
        "that a peer has died whose child lives on is noticed by looking twice a second");
  check(refusal_in(syscall(kOpenat2, -1, nullptr, nullptr, 0)), "openat2", "5.6",
        "dat-cp opens a path step by step");
  check(refusal_in(syscall(kEpollPwait2, -1, nullptr, 0, nullptr, nullptr, 0)), "epoll_pwait2",
        "5.11", "a wait takes two system calls instead of one");
  // Every kernel that Datum runs on has these, so a filter refuses them.
  for_each_refused([&](SystemCall call, int error, const Consequence& consequence) {
    if (consequence.since != nullptr)
      missing.push_back(
          {name_of(call), consequence.since, consequence.then, Absence::Refused, error});
  });
  return missing;
}

std::vector<RefusedCall> refused_kernel_calls() {
  std::vector<RefusedCall> refused;
  for_each_refused([&](SystemCall call, int error, const Consequence& consequence) {
    if (consequence.since == nullptr) refused.push_back({name_of(call), consequence.then, error});
  });
  return refused;
}

} // namespace datum::info
