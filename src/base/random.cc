// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/random.h"

#include <cstdlib>
#include <sys/random.h>

namespace datum {

std::uint64_t KernelRandom::next() {
  std::uint64_t value = 0;
  // Up to 256 bytes never come short once the pool is up; a signal may interrupt before that.
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
  }
  return value;
}

std::uint64_t SeededRandom::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

} // namespace datum
