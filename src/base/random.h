// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/random.h: random numbers, from the kernel or, in a simulated world, from one seed.
#pragma once

#include <cstdint>

namespace datum {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
};

// getrandom(2): for keys and tokens that an untrusted process must not guess.
class KernelRandom final : public Random {
 public:
  std::uint64_t next() override;
};

// splitmix64: the same numbers for the same seed on every machine.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

} // namespace datum
