// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "budget/still_clock.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr long kSecond = 1'000'000'000;
constexpr std::size_t kSignalSetBytes = 8; // the size in the kernel, not in the C library

std::atomic<bool> held{false};
std::atomic<long> time_now{0};
std::atomic<int> asleep{0};
std::atomic<unsigned> woken{0};

long machine_time() {
  timespec time{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

} // namespace

namespace budget {

void hold_clock() {
  time_now = machine_time();
  woken = 0;
  held = true;
}

void release_clock() {
  held = false;
}

void advance_clock(long nanoseconds) {
  time_now.store(time_now.load(std::memory_order_relaxed) + nanoseconds, std::memory_order_relaxed);
}

int threads_asleep() {
  return asleep;
}

unsigned wakes() {
  return woken;
}

} // namespace budget

// The program exports these two functions, so the product's libraries find them before the C
// library's.
extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_MONOTONIC || !held.load(std::memory_order_relaxed))
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const long now = time_now.load(std::memory_order_relaxed);
  time->tv_sec = now / kSecond;
  time->tv_nsec = now % kSecond;
  return 0;
}

__attribute__((visibility("default"))) int ppoll(pollfd* watched, nfds_t count,
                                                 const timespec* limit, const sigset_t* mask) {
  const bool forever = limit == nullptr || held.load(std::memory_order_relaxed);
  timespec left = forever ? timespec{} : *limit; // the kernel writes to it
  if (forever) ++asleep;
  const long found =
      ::syscall(SYS_ppoll, watched, count, forever ? nullptr : &left, mask, kSignalSetBytes);
  if (forever) --asleep;
  ++woken;
  return static_cast<int>(found);
}

} // extern "C"
