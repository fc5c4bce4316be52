// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/play.h: two adapters with a party each, for tests of named faults. One seed decides all
// delays. It is printed when a test fails. Every named test runs with several seeds.
#pragma once

#include <gtest/gtest.h>

#include "failure.h"
#include "party.h"

namespace datum::test {

inline constexpr ConnQual kQualifier = 2000;

struct Play {
  explicit Play(std::uint64_t seed, bool direct = false);
  // Listens at the passive side and connects. Does not answer the request and does not wait.
  void request(std::uint32_t timeout_us = 0xffffffff);
  // Takes the request that has arrived.
  void accept();
  // Listens, connects and accepts.
  void connect();
  // Lets `time` pass, and checks every event.
  void pass(Duration time);
  void settle();

  SimOptions options;
  SimWorld world;
  VirtualTime time{world};
  SimNode active_node;
  SimNode passive_node;
  Party active;
  Party passive;
  EventDispatcher* requests = nullptr; // the EVD of the passive side's PSP
};

// SIM_TEST(Connection, PeerDies) { Play play{seed}; ... }
#define SIM_TEST(subject, rule)                                                                    \
  static void subject##rule(std::uint64_t seed);                                                   \
  TEST(subject, rule) {                                                                            \
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {                                             \
      SCOPED_TRACE(testing::Message() << "seed " << seed);                                         \
      subject##rule(seed);                                                                         \
      if (HasFailure()) return;                                                                    \
    }                                                                                              \
  }                                                                                                \
  static void subject##rule([[maybe_unused]] std::uint64_t seed)

} // namespace datum::test
