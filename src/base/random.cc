// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/random.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

namespace datum {
namespace {

bool read_device(std::uint64_t& value) {
  const int device = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (device < 0) return false;
  const bool whole = ::read(device, &value, sizeof value) == static_cast<ssize_t>(sizeof value);
  ::close(device);
  return whole;
}

// For a sandbox without any random source: mixes AT_RANDOM, the clock, the process id and a count.
std::uint64_t guessable_value() {
  static std::atomic<std::uint64_t> count{0};
  std::uint64_t start = 0;
  if (const auto* given = reinterpret_cast<const void*>(::getauxval(AT_RANDOM)))
    std::memcpy(&start, given, sizeof start);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto pid = static_cast<std::uint64_t>(::getpid());
  const auto time = static_cast<std::uint64_t>(now.tv_sec) * 1000000007U +
                    static_cast<std::uint64_t>(now.tv_nsec);
  return SeededRandom(start ^ time ^ (pid << 40U) ^ (++count << 20U)).next();
}

} // namespace

std::uint64_t KernelRandom::next() {
  std::uint64_t value = 0;
  ssize_t got = -1;
  // Reads of up to 256 bytes are whole once the pool is initialised. Before that a signal may
  // interrupt the call.
  do got = ::getrandom(&value, sizeof value, 0);
  while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof value)) return value;
  // A sandbox may forbid getrandom(2).
  return read_device(value) ? value : guessable_value();
}

std::uint64_t SeededRandom::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

} // namespace datum
