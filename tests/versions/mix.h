// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// versions/mix.h: one side of the random mix of tests/stress, whichever DAT version its library is
// compiled for: one process may so hold a side of each.
// Lives here: what a test of two versions says to either of them.
// Not here:   a DAT header; the test reads none, since it cannot read both.
#pragma once

#include <cstdint>
#include <string>

namespace datum::test {

struct MixLoad {
  std::string ia;
  std::uint64_t seed = 1;
  int threads = 8;          // half of them ask, half of them answer
  std::uint32_t lanes = 20; // connections that it asks on, and as many that it answers on
  std::string rerun;        // said with a broken promise, which ends the process at once
};

// Has an IA of its own. It is told things in the order in which they stand here.
class Mix {
 public:
  virtual ~Mix() = default;
  // Where the other side reaches it.
  virtual std::string target() const = 0;
  virtual void start(const std::string& target_of_other) = 0;
  // Choices of the mix that it has carried out so far.
  virtual std::uint64_t rounds() const = 0;
  // It asks no more, but goes on answering.
  virtual void stop() = 0;
  // The other side has stopped, too. Frees everything one by one.
  virtual void leave() = 0;
};

} // namespace datum::test

extern "C" {
__attribute__((visibility("default"))) datum::test::Mix*
datum_open_mix_of_dat1(const datum::test::MixLoad& load);
__attribute__((visibility("default"))) datum::test::Mix*
datum_open_mix_of_dat2(const datum::test::MixLoad& load);
}
