// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/chance.h: random choices of a thread, made from one seed, and bytes that prove their
// origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace datum::stress {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }
  // 0 .. below - 1
  std::uint64_t below(std::uint64_t below) { return next() % below; }
  // 1 .. most; small lengths are as likely as large ones
  std::uint64_t length(std::uint64_t most) {
    const std::uint64_t within = std::uint64_t{64} << below(20);
    return 1 + below(within < most ? within : most);
  }

 private:
  std::uint64_t state_;
};

// Writes eight bytes at a time, because filling must not take longer than the tested library.
inline void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  Chance chance(seed);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 8 == 0) word = chance.next();
    bytes[i] = static_cast<std::byte>(word >> (i % 8 * 8));
  }
}

inline bool holds(std::span<const std::byte> bytes, std::uint64_t seed) {
  Chance chance(seed);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 8 == 0) word = chance.next();
    if (bytes[i] != static_cast<std::byte>(word >> (i % 8 * 8))) return false;
  }
  return true;
}

} // namespace datum::stress
