// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calls.h"

#include <array>
#include <cerrno>
#include <sys/syscall.h>

namespace datum::old_kernel {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;

constexpr Argument is(std::uint32_t index, std::uint32_t value) {
  return {index, kAll, value, value};
}
constexpr Argument from(std::uint32_t index, std::uint32_t low, std::uint32_t high = kAll) {
  return {index, kAll, low, high};
}
constexpr Argument any_of(std::uint32_t index, std::uint32_t bits) {
  return {index, bits, 1, kAll};
}
constexpr Younger when(Version since, long call, Argument first, int error) {
  return {since, static_cast<std::uint32_t>(call), 1, first, {}, error};
}
constexpr Younger when(Version since, long call, Argument first, Argument second, int error) {
  return {since, static_cast<std::uint32_t>(call), 2, first, second, error};
}

constexpr Younger whole(Version since, std::uint32_t call) {
  return {since, call, 0, {}, {}, ENOSYS};
}

constexpr std::uint32_t kSocketLevel = 1, kIpLevel = 0, kTcpLevel = 6;

// Numbers, not names: the oldest distribution that builds this has no names for some of them.
constexpr std::array kYounger{
    when({4, 19}, SYS_inotify_add_watch, any_of(2, 0x10000000), EINVAL),          // IN_MASK_CREATE
    when({4, 19}, SYS_setsockopt, is(1, kSocketLevel), from(2, 61), ENOPROTOOPT), // SO_TXTIME, ...
    when({4, 19}, SYS_getsockopt, is(1, kSocketLevel), from(2, 61), ENOPROTOOPT),
    when({5, 0}, SYS_seccomp, is(0, 3), EINVAL),                   // SECCOMP_GET_NOTIF_SIZES
    when({5, 0}, SYS_seccomp, is(0, 1), any_of(1, 0x38), EINVAL),  // NEW_LISTENER, ...
    when({5, 0}, SYS_prctl, from(0, 54, 100), EINVAL),             // PR_PAC_RESET_KEYS, ...
    when({5, 1}, SYS_fcntl, is(1, 1033), any_of(2, 0x30), EINVAL), // F_SEAL_FUTURE_WRITE, _EXEC
    when({5, 3}, SYS_ptrace, from(0, 0x420e, 0x4fff), EIO),        // PTRACE_GET_SYSCALL_INFO, ...
    when({5, 3}, SYS_setsockopt, is(1, kTcpLevel), from(2, 37), ENOPROTOOPT), // TCP_TX_DELAY, ...
    when({5, 3}, SYS_getsockopt, is(1, kTcpLevel), from(2, 37), ENOPROTOOPT),
    when({5, 4}, SYS_waitid, is(0, 3), EINVAL),            // P_PIDFD
    when({5, 4}, SYS_madvise, from(2, 20, 99), EINVAL),    // MADV_COLD, ... POPULATE_WRITE, ...
    when({5, 6}, SYS_getrandom, any_of(2, 4), EINVAL),     // GRND_INSECURE
    when({5, 6}, SYS_socket, is(2, 262), EPROTONOSUPPORT), // IPPROTO_MPTCP
    when({5, 6}, SYS_unshare, any_of(0, 0x80), EINVAL),    // CLONE_NEWTIME
    when({5, 7}, SYS_mremap, any_of(3, 4), EINVAL),        // MREMAP_DONTUNMAP
    whole({5, 9}, 436),                                    // close_range
    when({5, 10}, SYS_membarrier, from(0, 0x80), EINVAL),  // ..._EXPEDITED_RSEQ, ...
    when({5, 10}, SYS_membarrier, from(1, 1), EINVAL),     // MEMBARRIER_CMD_FLAG_CPU
    when({5, 11}, SYS_setsockopt, is(1, kSocketLevel), from(2, 69),
         ENOPROTOOPT), // SO_PREFER_BUSY_POLL, ...
    when({5, 11}, SYS_getsockopt, is(1, kSocketLevel), from(2, 69), ENOPROTOOPT),
    whole({5, 14}, 443),                                           // quotactl_fd
    when({5, 14}, SYS_futex, {1, 0x7f, 13, 0x7f}, ENOSYS),         // FUTEX_LOCK_PI2
    when({5, 14}, SYS_madvise, from(2, 22, 99), EINVAL),           // MADV_POPULATE_READ, ...
    when({5, 17}, SYS_prctl, is(0, 0x53564d41), EINVAL),           // PR_SET_VMA
    when({6, 3}, SYS_memfd_create, any_of(1, 0x18), EINVAL),       // MFD_NOEXEC_SEAL, MFD_EXEC
    when({6, 3}, SYS_fcntl, is(1, 1033), any_of(2, 0x20), EINVAL), // F_SEAL_EXEC
    when({6, 3}, SYS_setsockopt, is(1, kIpLevel), from(2, 51, 63), ENOPROTOOPT), // LOCAL_PORT_RANGE
    when({6, 5}, SYS_setsockopt, is(1, kSocketLevel), from(2, 76), ENOPROTOOPT), // SO_PASSPIDFD
    when({6, 5}, SYS_getsockopt, is(1, kSocketLevel), from(2, 76), ENOPROTOOPT), // SO_PEERPIDFD
    when({6, 13}, SYS_madvise, from(2, 102), EINVAL), // MADV_GUARD_INSTALL, ...
};

struct Numbers {
  Version version;
  std::uint32_t first; // that it brought
};

constexpr std::array kNumbers{
    Numbers{{5, 1}, 424},  // pidfd_send_signal, io_uring_*
    Numbers{{5, 2}, 428},  // open_tree, ...
    Numbers{{5, 3}, 434},  // pidfd_open, clone3
    Numbers{{5, 6}, 437},  // openat2, pidfd_getfd
    Numbers{{5, 8}, 439},  // faccessat2
    Numbers{{5, 10}, 440}, // process_madvise
    Numbers{{5, 11}, 441}, // epoll_pwait2
    Numbers{{5, 12}, 442}, // mount_setattr
    Numbers{{5, 13}, 444}, // landlock_*
    Numbers{{5, 14}, 447}, // memfd_secret
    Numbers{{5, 15}, 448}, // process_mrelease
    Numbers{{5, 16}, 449}, // futex_waitv
    Numbers{{5, 17}, 450}, // set_mempolicy_home_node
    Numbers{{6, 5}, 451},  // cachestat
    Numbers{{6, 6}, 452},  // fchmodat2, map_shadow_stack
    Numbers{{6, 7}, 454},  // futex_wake, ...
    Numbers{{6, 8}, 457},  // statmount, ...
    Numbers{{6, 10}, 462}, // mseal
    Numbers{{6, 13}, 463}, // setxattrat, ...
};

} // namespace

std::span<const Younger> younger_arguments() {
  return kYounger;
}

std::uint32_t first_unknown_call(Version version) {
  for (const Numbers& numbers : kNumbers)
    if (version < numbers.version) return numbers.first;
  return 470;
}

} // namespace datum::old_kernel
