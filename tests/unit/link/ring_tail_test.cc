// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The producer's copy of the position that the other side writes.
#include <gtest/gtest.h>
#include <memory>

#include "transport/link/ring.h"

namespace datum::test {
namespace {

class RingTailTest : public testing::Test {
 protected:
  // Ten records with three lines each have been written.
  RingTailTest() {
    for (int i = 0; i < 10; ++i) {
      out.reserve(3);
      out.publish();
    }
  }
  // Fills the ring until the producer has to read the other side's position.
  void fill() {
    while (!out.peer_misbehaved() && out.reserve(3) != nullptr) out.publish();
  }

  std::unique_ptr<Ring> ring = std::make_unique<Ring>();
  RingTail tail{};
  RingProducer out{*ring, tail};
};

TEST_F(RingTailTest, WhatWasWrittenMayHaveBeenTaken) {
  tail.records.store(10);
  tail.lines.store(30);
  fill();
  EXPECT_FALSE(out.peer_misbehaved());
}

TEST_F(RingTailTest, MoreRecordsThanWereWrittenAreRefused) {
  tail.records.store(100000);
  tail.lines.store(30);
  fill();
  EXPECT_TRUE(out.peer_misbehaved());
  EXPECT_EQ(out.reserve(3), nullptr) << "over a record that may not have been taken";
}

TEST_F(RingTailTest, MoreLinesThanWereWrittenAreRefused) {
  tail.records.store(10);
  tail.lines.store(100000);
  fill();
  EXPECT_TRUE(out.peer_misbehaved());
  EXPECT_EQ(out.reserve(3), nullptr) << "over a payload that may not have been taken";
}

} // namespace
} // namespace datum::test
