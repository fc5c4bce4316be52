// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// versions/mix.h: one side of the random mix of tests/stress. Its library is compiled for either
// DAT version, so one process can hold a side of each version.
// Lives here: the calls by which a test of two versions uses a side of either version.
// Not here:   a DAT header; the test includes none, since it cannot include both.
#pragma once

#include <cstdint>
#include <string>

namespace datum::test {

struct MixLoad {
  std::string ia;
  std::uint64_t seed = 1;
  int threads = 8;          // half of the threads send requests, the other half answers
  std::uint32_t lanes = 20; // connections on which it sends requests; the other side has as many
  std::string rerun; // the command to print with a failed check, which ends the process at once
};

// A side has an IA of its own. The test makes these calls in the order in which they are declared.
class Mix {
 public:
  virtual ~Mix() = default;
  // Where the other side reaches this one.
  virtual std::string target() const = 0;
  virtual void start(const std::string& target_of_other) = 0;
  // How many rounds of the mix this side has carried out so far.
  virtual std::uint64_t rounds() const = 0;
  // Sends no more requests, but goes on answering.
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
