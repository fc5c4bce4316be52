// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A thread that takes events from an EVD drives the transport for all endpoints, even if the EVD
// never runs empty (decision 312).
#include "pair.h"

namespace datum::test {
namespace {

TEST(Drive, AnEvdThatIsNeverEmptyDrivesTheTransportWithin256Events) {
  Pair pair;
  pair.connect();
  Side& other = pair.active;
  EventDispatcher& full = *other.adapter.create_evd(8, nullptr, kEvdSoftware).value();
  ASSERT_TRUE(full.post_software(1).ok());
  ASSERT_TRUE(pair.passive.receive(0, 8, 1).ok());
  ASSERT_TRUE(other.send(0, 8, 2).ok());
  int drives = 0;
  for (int i = 0; i < 256; ++i)
    if (full.should_drive(1)) {
      ++drives;
      other.adapter.progress().poll();
    }
  EXPECT_EQ(drives, 1);
  EXPECT_EQ(pair.passive.next().cookie, 1U);
  ASSERT_TRUE(other.adapter.free(full).ok());
}

TEST(Drive, AnEvdWithTooFewEventsDrivesItEachTime) {
  Pair pair;
  pair.connect();
  Side& other = pair.active;
  EventDispatcher& one = *other.adapter.create_evd(8, nullptr, kEvdSoftware).value();
  ASSERT_TRUE(one.post_software(1).ok());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(one.should_drive(2));
  ASSERT_TRUE(other.adapter.free(one).ok());
}

} // namespace
} // namespace datum::test
