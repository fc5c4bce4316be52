// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// versions/mix.h: one side of the random mix of tests/stress, whichever DAT version its library is
// compiled for, so that one process can hold a side of each.
// Lives here: what a test of two versions says to either of them.
// Not here:   a DAT header; the test reads none, since it cannot read both.
#pragma once

#include <cstdint>
#include <string>

namespace datum::test {

struct MixLoad {
  std::string ia;
  std::uint64_t seed = 1;
  int threads = 8;          // half of them send requests, half of them answer
  std::uint32_t lanes = 20; // connections for its own requests, and as many for the other side's
  std::string rerun; // the command to print with a failed check, which ends the process at once
};

// A side has an IA of its own. The test makes its calls in the order in which they stand here.
class Mix {
 public:
  virtual ~Mix() = default;
  // Where the other side reaches this one.
  virtual std::string target() const = 0;
  virtual void start(const std::string& target_of_other) = 0;
  // How many choices of the mix this side has carried out so far.
  virtual std::uint64_t rounds() const = 0;
  // This side sends no more requests, but goes on answering.
  virtual void stop() = 0;
  // Frees every object one by one, after both sides have stopped.
  virtual void leave() = 0;
};

} // namespace datum::test

extern "C" {
__attribute__((visibility("default"))) datum::test::Mix*
datum_open_mix_of_dat1(const datum::test::MixLoad& load);
__attribute__((visibility("default"))) datum::test::Mix*
datum_open_mix_of_dat2(const datum::test::MixLoad& load);
}
